// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/strategy_bar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QSignalBlocker>
#include <algorithm>

#include "experiment/edits.h"
#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "words/strategy_words.h"

namespace shardscope {
namespace {
constexpr int strategyCount = 5;

} // namespace

StrategyBar::StrategyBar(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_strategy(new QComboBox(this))
    , m_userPriorities(new QCheckBox(tr("User &priorities"), this))
    , m_conservative(new QCheckBox(tr("&Conservative"), this))
    , m_compared(new QComboBox(this))
    , m_own(new QWidget(this))
    , m_switches(new QWidget(this))
    , m_other(new QWidget(this))
    , m_ownLayout(new QBoxLayout(QBoxLayout::TopToBottom)) // beside each other once there is the width
    , m_layout(new QBoxLayout(QBoxLayout::TopToBottom, this))
{
    for (int i = 0; i < strategyCount; ++i) {
        const auto strategy = static_cast<StrategyChoice>(i);
        addEntry(m_strategy, words::strategyName(strategy), words::strategyMeaning(strategy));
    }
    m_strategy->setAccessibleName(tr("Strategy of propagation"));
    m_conservative->setToolTip(words::conservativeMeaning());
    m_compared->setAccessibleName(tr("Strategy to compare with"));
    m_compared->setToolTip(tr("Shows what another strategy shards differently, and since which step."));
    fitBox(m_compared, 12);

    auto* strategyLabel = new RoleLabel(tr("&Strategy"), RoleLabel::Size::Normal, &Theme::secondary);
    strategyLabel->setBuddy(m_strategy);
    hbox(m_own, {}, 8, { strategyLabel, m_strategy, boxStretch(1) });
    hbox(m_switches, {}, 8, { m_userPriorities, m_conservative, boxStretch(1) });
    auto* comparedLabel = new RoleLabel(tr("Compare &with"), RoleLabel::Size::Normal, &Theme::secondary);
    comparedLabel->setBuddy(m_compared);
    hbox(m_other, {}, 8, { comparedLabel, { m_compared, 1 } });
    m_layout->setContentsMargins(8, 6, 8, 2);
    m_layout->setSpacing(6);
    m_ownLayout->setSpacing(6);
    m_ownLayout->addWidget(m_own);
    m_ownLayout->addWidget(m_switches, 1);
    m_layout->addLayout(m_ownLayout, 1);
    m_layout->addWidget(m_other);
    tabOrder({ m_strategy, m_userPriorities, m_conservative, m_compared });

    connect(m_strategy, &QComboBox::activated, this, [this](int index) {
        PropagationSetting setting = m_document->experiment()->propagation;
        setting.strategy = static_cast<StrategyChoice>(index);
        edit(setting);
    });
    const auto follow = [this](QCheckBox* box, bool PropagationSetting::*option) {
        connect(box, &QCheckBox::clicked, this, [this, option](bool on) {
            PropagationSetting setting = m_document->experiment()->propagation;
            setting.*option = on;
            edit(setting);
        });
    };
    follow(m_userPriorities, &PropagationSetting::userPriorities);
    follow(m_conservative, &PropagationSetting::conservative);
    connect(m_compared, &QComboBox::currentIndexChanged, this, &StrategyBar::comparedChanged);
    connect(document, &Document::experimentChanged, this, &StrategyBar::refresh);
    refresh();
}

void StrategyBar::edit(const PropagationSetting& setting)
{
    const ExperimentPtr& now = m_document->experiment();
    if (!(setting == now->propagation))
        m_document->edit(withPropagation(*now, setting), tr("propagation: %1").arg(words::settingName(setting)));
}

void StrategyBar::refresh()
{
    const PropagationSetting& setting = m_document->experiment()->propagation;
    m_strategy->setCurrentIndex(static_cast<int>(setting.strategy));
    m_strategy->setToolTip(words::strategyMeaning(setting.strategy));
    m_userPriorities->setEnabled(knowsUserPriorities(setting.strategy));
    m_userPriorities->setChecked(setting.userPriorities && knowsUserPriorities(setting.strategy));
    m_userPriorities->setToolTip(words::userPrioritiesMeaning(setting.strategy));
    m_conservative->setChecked(setting.conservative);
    const std::optional<PropagationSetting> before = comparedSetting();
    fillCompared(setting, before);
    if (before && !comparedSetting())
        Q_EMIT comparedChanged();
}

/// The other strategies with the same switches, then this one with one of its switches changed. What is chosen stays
/// chosen unless it is the experiment's own now.
void StrategyBar::fillCompared(const PropagationSetting& own, const std::optional<PropagationSetting>& chosen)
{
    std::vector<PropagationSetting> choices;
    for (int i = 0; i < strategyCount; ++i) {
        PropagationSetting other = own;
        other.strategy = static_cast<StrategyChoice>(i);
        if (other.strategy != own.strategy)
            choices.push_back(other);
    }
    PropagationSetting switched = own;
    switched.conservative = !own.conservative;
    choices.push_back(switched);
    if (knowsUserPriorities(own.strategy)) {
        switched = own;
        switched.userPriorities = !own.userPriorities;
        choices.push_back(switched);
    }
    if (chosen && !(*chosen == own) && std::find(choices.begin(), choices.end(), *chosen) == choices.end())
        choices.push_back(*chosen);
    const QSignalBlocker quiet(m_compared);
    m_choices = std::move(choices);
    m_compared->clear();
    m_compared->addItem(tr("none", "strategy to compare with"));
    for (const PropagationSetting& choice : m_choices)
        addEntry(m_compared, words::settingName(choice), words::strategyMeaning(choice.strategy));
    const auto found = chosen ? std::find(m_choices.begin(), m_choices.end(), *chosen) : m_choices.end();
    m_compared->setCurrentIndex(found == m_choices.end() ? 0 : static_cast<int>(found - m_choices.begin()) + 1);
}

void StrategyBar::setCompared(const std::optional<PropagationSetting>& setting)
{
    fillCompared(m_document->experiment()->propagation, setting);
    Q_EMIT comparedChanged();
}

std::optional<PropagationSetting> StrategyBar::comparedSetting() const
{
    const int row = m_compared->currentIndex();
    if (row < 1 || row > static_cast<int>(m_choices.size()))
        return std::nullopt;
    return m_choices[static_cast<std::size_t>(row - 1)];
}

/// Its parts side by side as far as there is room, the rest below.
void StrategyBar::arrange()
{
    const auto arrangeIn = [](QBoxLayout* layout, bool fits) {
        const QBoxLayout::Direction direction = fits ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom;
        if (layout->direction() != direction)
            layout->setDirection(direction);
    };
    const QMargins around = m_layout->contentsMargins();
    const int room = width() - around.left() - around.right();
    const int own = m_own->sizeHint().width() + m_ownLayout->spacing() + m_switches->sizeHint().width();
    arrangeIn(m_ownLayout, own <= room);
    arrangeIn(m_layout, own + m_other->sizeHint().width() + 2 * Metrics::scaled(8) <= room);
}

QSize StrategyBar::minimumSizeHint() const
{
    int width = 0;
    for (const QWidget* part : { m_own, m_switches, m_other })
        width = std::max(width, part->minimumSizeHint().width());
    const QMargins around = m_layout->contentsMargins();
    return { around.left() + width + around.right(), QWidget::minimumSizeHint().height() };
}

bool StrategyBar::event(QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange)
        arrange();
    return QWidget::event(event);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/rule_entry.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>

#include "geometry/flow_layout.h"
#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chip.h"

namespace shardscope {

namespace {

/// Its children beside each other, in as many lines as they need.
class ToggleLines : public QWidget {
public:
    explicit ToggleLines(QWidget* parent)
        : QWidget(parent)
    {
        heightFollowsWidth(this, QSizePolicy::Preferred, QSizePolicy::Fixed);
    }
    [[nodiscard]] int heightForWidth(int width) const override { return flow(width).height; }
    [[nodiscard]] QSize sizeHint() const override
    {
        return { Metrics::scaled(160), flow(Metrics::scaled(160)).height };
    }

    void arrange()
    {
        const FlowLayout lines = flow(width());
        std::size_t i = 0;
        for (AxisToggle* toggle : toggles())
            toggle->setGeometry(QRect(lines.items[i++].topLeft(), toggle->sizeHint()));
        updateGeometry();
    }

protected:
    void resizeEvent(QResizeEvent*) override { arrange(); }

private:
    [[nodiscard]] QList<AxisToggle*> toggles() const
    {
        return findChildren<AxisToggle*>(QString(), Qt::FindDirectChildrenOnly);
    }
    [[nodiscard]] FlowLayout flow(int width) const
    {
        std::vector<int> widths;
        for (const AxisToggle* toggle : toggles())
            widths.push_back(toggle->sizeHint().width());
        return FlowLayout::make(widths, width, Metrics::scaled(26), 2);
    }
};

} // namespace

RuleEntry::RuleEntry(QWidget* parent)
    : QWidget(parent)
    , m_names(new QComboBox(this))
    , m_uses(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Elided, &Theme::secondary, this))
    , m_chips(new ToggleLines(this))
    , m_add(new QPushButton(tr("Add"), this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
{
    m_names->setObjectName(QStringLiteral("newRuleName"));
    m_names->setAccessibleName(tr("Logical axis of the new rule"));
    m_names->setToolTip(tr("The logical axis that the rule is for: names without a rule come first. Return adds the "
                           "rule, Esc gives it up"));
    m_names->setEditable(true);
    m_names->setInsertPolicy(QComboBox::NoInsert);
    fitBox(m_names, 10);
    m_names->lineEdit()->setPlaceholderText(tr("logical axis"));
    m_add->setObjectName(QStringLiteral("enterRule"));
    describe(m_add, tr("Add the rule"), tr("Adds the rule at the end of the list (Return)"));
    m_cancel->setAccessibleName(tr("Give the new rule up"));
    for (QPushButton* button : { m_add, m_cancel })
        button->setProperty("small", true);
    vbox(this, { 8, 4, 8, 4 }, 4,
        { hbox({}, 6, { { m_names, 1 }, { m_uses, 1 } }),
            hbox({}, 6, { { m_chips, 1 }, { m_add, 0, Qt::AlignTop }, { m_cancel, 0, Qt::AlignTop } }) });
    hide();
    connect(m_names, &QComboBox::editTextChanged, this, &RuleEntry::follow);
    connect(m_add, &QPushButton::clicked, this, &RuleEntry::give);
    connect(m_cancel, &QPushButton::clicked, this, &RuleEntry::close);
    for (QWidget* each : std::initializer_list<QWidget*>{ m_names->lineEdit(), m_add, m_cancel })
        each->installEventFilter(this);
}

void RuleEntry::ask(std::vector<Name> names, const QStringList& meshAxes, const QString& name)
{
    m_list = std::move(names);
    m_names->clear();
    for (const Name& each : m_list)
        m_names->addItem(each.name);
    m_names->setEditText(!name.isEmpty() ? name : m_list.empty() ? QString() : m_list.front().name);
    m_chosen.clear();
    setMeshAxes(meshAxes);
    follow();
    show();
    if (name.isEmpty() || m_toggles.empty()) {
        m_names->setFocus(Qt::OtherFocusReason);
        m_names->lineEdit()->selectAll();
    } else {
        m_toggles.front()->setFocus(Qt::OtherFocusReason);
    }
}

void RuleEntry::setMeshAxes(const QStringList& meshAxes)
{
    if (meshAxes == m_axes && !m_toggles.empty())
        return follow();
    m_axes = meshAxes;
    m_chosen.removeIf([&](const QString& axis) { return !m_axes.contains(axis); });
    qDeleteAll(m_toggles);
    m_toggles.clear();
    QWidget* before = m_names;
    for (int axis = 0; axis < m_axes.size(); ++axis) {
        auto* toggle = new AxisToggle(m_axes[axis], axis, m_chips);
        toggle->setAccessibleName(tr("Shard along %1").arg(m_axes[axis]));
        toggle->setToolTip(tr("The rule maps the name to %1. Axes shard in the order in which they are switched on")
                               .arg(m_axes[axis]));
        toggle->installEventFilter(this);
        toggle->show();
        connect(toggle, &QAbstractButton::clicked, this, [this, name = m_axes[axis]] { switchAxis(name); });
        setTabOrder(before, toggle);
        before = toggle;
        m_toggles.push_back(toggle);
    }
    tabOrder({ before, m_add, m_cancel });
    follow();
}

void RuleEntry::switchAxis(const QString& axis)
{
    if (!m_chosen.removeOne(axis))
        m_chosen << axis;
    follow();
}

void RuleEntry::follow()
{
    for (std::size_t i = 0; i < m_toggles.size(); ++i) {
        const auto at = static_cast<int>(m_chosen.indexOf(m_axes[static_cast<qsizetype>(i)]));
        m_toggles[i]->setChecked(at >= 0);
        m_toggles[i]->setPlace(at >= 0 && m_chosen.size() > 1 ? at + 1 : 0);
    }
    static_cast<ToggleLines*>(m_chips)->arrange();
    const QString name = m_names->currentText().trimmed();
    const auto found = std::find_if(m_list.begin(), m_list.end(), [&](const Name& each) { return each.name == name; });
    m_uses->setText(found != m_list.end() ? found->uses : name.isEmpty() ? QString() : tr("no array has this name"));
    m_add->setEnabled(!name.isEmpty());
}

void RuleEntry::give()
{
    if (const QString name = m_names->currentText().trimmed(); !name.isEmpty())
        Q_EMIT entered(name, m_chosen);
}

void RuleEntry::close()
{
    if (isHidden())
        return;
    hide();
    Q_EMIT closed();
}

bool RuleEntry::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) {
        close();
        return true;
    }
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && watched != m_cancel) {
        give();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope

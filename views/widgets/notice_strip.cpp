// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/notice_strip.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <utility>

#include "views/theme/icons.h"
#include "views/theme/style.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {
NoticeStrip::NoticeStrip(QWidget* parent)
    : QFrame(parent)
    , m_row(new QHBoxLayout(this))
    , m_icon(new QLabel(this))
    , m_title(new RoleLabel(RoleLabel::Size::Semibold, &Theme::text, this))
    , m_text(new RoleLabel(RoleLabel::Size::Small, &Theme::text, this))
    , m_close(new QToolButton(this))
{
    setBackgroundRole(QPalette::Window); // whatever it stands on
    setAutoFillBackground(true);
    for (RoleLabel* label : { m_title, m_text }) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    makeFlat(m_close, QStringLiteral("close"), tr("Close this message"), {}, 10);
    auto* words = vbox({}, 1, { m_title, m_text });
    m_row->setContentsMargins(8, 3, 4, 3);
    m_row->setSpacing(6);
    m_row->addWidget(m_icon, 0, Qt::AlignTop);
    m_row->addLayout(words, 1);
    m_row->addWidget(m_close, 0, Qt::AlignTop);
    addButton();
    connect(m_close, &QToolButton::clicked, this, [this] {
        dismiss();
        Q_EMIT closed();
    });
    hide();
}

QPushButton* NoticeStrip::addButton()
{
    auto* button = new QPushButton(this);
    setQuiet(button);
    button->setProperty("link", true);
    const std::size_t index = m_buttons.size();
    connect(button, &QPushButton::clicked, this, [this, index] {
        if (index >= m_actions.size() || !m_actions[index])
            return;
        const std::function<void()> action = m_actions[index]; // it may say something else here
        action();
    });
    m_row->insertWidget(m_row->count() - 1, button, 0, Qt::AlignTop);
    QWidget* const before = m_buttons.empty() ? nullptr : m_buttons.back();
    m_buttons.push_back(button);
    if (before)
        setTabOrder(before, button);
    setTabOrder(button, m_close);
    return button;
}

void NoticeStrip::say(Severity severity, const QString& text, const QString& button, std::function<void()> action)
{
    std::vector<Button> buttons;
    if (!button.isEmpty())
        buttons.push_back({ button, std::move(action) });
    say(severity, QString(), text, std::move(buttons));
}

void NoticeStrip::say(Severity severity, const QString& title, const QString& text, std::vector<Button> buttons)
{
    m_severity = severity;
    while (m_buttons.size() < buttons.size())
        addButton();
    m_actions.clear();
    for (std::size_t i = 0; i < m_buttons.size(); ++i) {
        m_buttons[i]->setVisible(i < buttons.size());
        if (i >= buttons.size())
            continue;
        m_buttons[i]->setText(buttons[i].text);
        m_buttons[i]->setToolTip(buttons[i].tip);
        m_actions.push_back(std::move(buttons[i].action));
    }
    shardscope::showText(m_title, title);
    m_text->setText(text);
    m_text->setToolTip(plainTip(text)); // a place may have no room for all of it
    showText();
    setAccessibleName(title.isEmpty() ? text : title);
    setAccessibleDescription(title.isEmpty() ? QString() : text);
    applyColours();
    show();
}

void NoticeStrip::setBrief(bool brief)
{
    if (std::exchange(m_brief, brief) != brief)
        showText();
}

void NoticeStrip::setOneLine(bool oneLine)
{
    if (std::exchange(m_oneLine, oneLine) != oneLine)
        showText();
}

void NoticeStrip::showText()
{
    // What somebody wrote in lines keeps them.
    const bool oneLine = m_oneLine && !m_title->text().isEmpty() && !m_text->text().contains(u'\n');
    m_text->setWordWrap(!oneLine);
    m_text->setElided(oneLine);
    const bool titleAlone = m_brief && !m_title->text().isEmpty();
    m_text->setVisible(!m_text->text().isEmpty() && !titleAlone);
    m_title->setToolTip(titleAlone ? m_text->toolTip() : QString());
    for (QWidget* beside : { static_cast<QWidget*>(m_icon), static_cast<QWidget*>(m_close) })
        m_row->setAlignment(beside, titleAlone ? Qt::AlignVCenter : Qt::AlignTop);
}

void NoticeStrip::dismiss()
{
    m_actions.clear();
    hide();
}

void NoticeStrip::applyColours()
{
    const Theme& theme = Theme::current();
    const QColor ground = m_severity == Severity::Error ? theme.errorBackground
        : m_severity == Severity::Warning               ? theme.warningBackground
                                                        : theme.infoBackground;
    QPalette colours = palette();
    if (colours.color(QPalette::Window) != ground) {
        colours.setColor(QPalette::Window, ground);
        setPalette(colours);
    }
    m_icon->setPixmap(severityIcon(m_severity).pixmap(Metrics::scaled(14)));
    m_icon->setAccessibleName(m_severity == Severity::Error ? tr("Error")
            : m_severity == Severity::Warning               ? tr("Warning")
                                                            : tr("Note"));
}

void NoticeStrip::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::PaletteChange)
        applyColours();
    QFrame::changeEvent(event);
}

} // namespace shardscope

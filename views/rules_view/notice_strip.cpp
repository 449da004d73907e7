// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/notice_strip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "views/panel/panel.h"
#include "views/theme/icons.h"
#include "views/theme/style.h"

namespace shardscope {

NoticeStrip::NoticeStrip(QWidget* parent)
    : QFrame(parent)
    , m_icon(new QLabel(this))
    , m_text(new RoleLabel(RoleLabel::Size::Small, &Theme::text, this))
    , m_button(new QPushButton(this))
    , m_close(new QToolButton(this))
{
    setBackgroundRole(QPalette::Window); // whatever it stands on
    setAutoFillBackground(true);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setQuiet(m_button);
    m_button->setProperty("link", true);
    m_close->setIcon(icon(QStringLiteral("close")));
    m_close->setIconSize(QSize(Metrics::scaled(10), Metrics::scaled(10)));
    m_close->setAutoRaise(true);
    m_close->setAccessibleName(tr("Close this message"));
    m_close->setToolTip(tr("Close this message"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 3, 4, 3);
    row->setSpacing(6);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addWidget(m_text, 1);
    row->addWidget(m_button, 0, Qt::AlignTop);
    row->addWidget(m_close, 0, Qt::AlignTop);
    connect(m_button, &QPushButton::clicked, this, [this] {
        const std::function<void()> action = m_action; // it may say something else here
        if (action)
            action();
    });
    connect(m_close, &QToolButton::clicked, this, &NoticeStrip::dismiss);
    hide();
}

void NoticeStrip::say(Severity severity, const QString& text, const QString& button, std::function<void()> action)
{
    m_severity = severity;
    m_action = std::move(action);
    m_text->setText(text);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    setAccessibleName(text);
    applyColours();
    show();
}

void NoticeStrip::dismiss()
{
    m_action = {};
    hide();
}

QString NoticeStrip::text() const
{
    return isHidden() ? QString() : m_text->text();
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
}

void NoticeStrip::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::PaletteChange)
        applyColours();
    QFrame::changeEvent(event);
}

} // namespace shardscope

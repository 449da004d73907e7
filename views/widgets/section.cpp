// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/section.h"

#include <QEvent>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include "views/theme/icons.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"

namespace shardscope {

Section::Section(const QString& id, const QString& name, QWidget* body, Kind kind, QWidget* parent)
    : QWidget(parent)
    , m_body(body)
    , m_fold(new FoldButton(name))
    , m_figure(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Elided, &Theme::secondary))
    , m_nothing(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::hint))
    , m_head(new QWidget(this))
{
    setObjectName(id);
    setAccessibleName(name);
    if (body->accessibleName().isEmpty())
        body->setAccessibleName(name);
    m_fold->setFont(Metrics::semibold());
    m_fold->setChecked(true);
    m_figure->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_nothing->setContentsMargins(Metrics::scaled(24), 3, 8, 5);
    m_nothing->hide();
    m_row = hbox(m_head, { 2, 0, 6, 0 }, 4, { m_fold, { m_figure, 1 } });
    m_head->setFixedHeight(Metrics::scaled(24));
    if (kind == Kind::OnDemand) {
        m_close = new QToolButton(m_head);
        m_close->setObjectName(QStringLiteral("closeSection"));
        m_close->setIcon(icon(QStringLiteral("close"), IconColor::Secondary));
        m_close->setIconSize({ Metrics::scaled(12), Metrics::scaled(12) });
        m_close->setAutoRaise(true);
        describe(m_close, tr("Close %1").arg(name));
        connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
        m_row->addWidget(m_close);
        hide();
    }
    vbox(this, {}, 0, { m_head, m_nothing, { m_body, 1 } });
    connect(m_fold, &QToolButton::toggled, this, &Section::follow);
}

QPushButton* Section::addLink(const QString& text, const QString& tip, const std::function<void()>& run)
{
    auto* link = new QPushButton(text, m_head);
    link->setToolTip(tip);
    link->setProperty("link", true);
    setQuiet(link);
    connect(link, &QPushButton::clicked, this, run);
    m_row->addWidget(link);
    return link;
}

void Section::setKeyFigure(const QString& text, bool isBad)
{
    m_figure->setText(text);
    m_figure->setColour(isBad ? &Theme::error : &Theme::secondary);
}

void Section::setNothing(const QString& why)
{
    if (why == m_nothing->text())
        return;
    m_nothing->setText(why);
    follow();
}

int Section::headHeight(int width) const
{
    const bool says = isUnfolded() && !m_nothing->text().isEmpty();
    return m_head->height() + (says ? m_nothing->heightForWidth(width) : 0);
}

void Section::follow()
{
    m_body->setVisible(showsBody());
    m_nothing->setVisible(isUnfolded() && !m_nothing->text().isEmpty());
    Q_EMIT changed();
}

bool Section::event(QEvent* event)
{
    const bool taken = QWidget::event(event);
    if (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent)
        Q_EMIT changed();
    return taken;
}

void Section::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::ApplicationFontChange)
        return;
    m_fold->setFont(Metrics::semibold());
    m_head->setFixedHeight(Metrics::scaled(24));
    Q_EMIT changed();
}

void Section::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const QRect head = m_head->geometry();
    painter.fillRect(rect(), theme.base);
    painter.fillRect(head, theme.dockTitle);
    painter.fillRect(QRect(head.left(), head.bottom(), head.width(), 1), theme.border);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/status_button.h"

#include <QEvent>
#include <QPainter>
#include <QStyleOptionToolButton>

#include "views/theme/theme.h"

namespace shardscope {

StatusButton::StatusButton(QWidget* parent)
    : QToolButton(parent)
{
    setAutoRaise(true);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setFocusPolicy(Qt::TabFocus); // a click leads elsewhere and leaves the focus to that place
    setCursor(Qt::PointingHandCursor);
    apply();
}

void StatusButton::setFigure(const QString& text, const QString& tip)
{
    setText(text);
    setToolTip(tip);
    setAccessibleName(text);
    setAccessibleDescription(tip);
    setVisible(!text.isEmpty());
}

QSize StatusButton::sizeHint() const
{
    const int picture = icon().isNull() ? 0 : iconSize().width() + Metrics::scaled(4);
    return { fontMetrics().horizontalAdvance(text()) + picture + 2 * Metrics::scaled(8) + 1, Metrics::scaled(22) };
}

void StatusButton::apply()
{
    if (m_applying)
        return;
    m_applying = true;
    setFont(Metrics::small());
    setIconSize(QSize(Metrics::scaled(14), Metrics::scaled(14)));
    QPalette colours = palette();
    colours.setColor(QPalette::ButtonText, Theme::current().secondary);
    setPalette(colours);
    m_applying = false;
}

void StatusButton::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange)
        apply();
    QToolButton::changeEvent(event);
}

void StatusButton::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    QStyleOptionToolButton option;
    initStyleOption(&option);
    option.rect.adjust(2, 1, -3, -1);
    style()->drawPrimitive(QStyle::PE_PanelButtonTool, &option, &painter, this);
    QRect place = rect().adjusted(Metrics::scaled(8), 0, -Metrics::scaled(8), 0);
    if (!icon().isNull()) {
        const QSize side = iconSize();
        icon().paint(&painter, QRect(QPoint(place.left(), (height() - side.height()) / 2), side));
        place.setLeft(place.left() + side.width() + Metrics::scaled(4));
    }
    painter.setPen(theme.secondary);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text());
    painter.fillRect(QRect(width() - 1, height() / 2 - 7, 1, 14), theme.border);
}

} // namespace shardscope

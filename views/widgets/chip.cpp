// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/chip.h"

#include <QColor>
#include <QFontMetrics>
#include <QPainter>

#include "views/theme/theme.h"

namespace shardscope {

using namespace Qt::StringLiterals;

AxisToggle::AxisToggle(const QString& name, int axis, QWidget* parent)
    : QAbstractButton(parent)
    , m_axis(axis)
{
    setText(name);
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void AxisToggle::setPlace(int place)
{
    if (place == m_place)
        return;
    m_place = place;
    updateGeometry();
    update();
}

void AxisToggle::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const QRect chip = rect().adjusted(2, 2, -2, -2);
    painter.setRenderHint(QPainter::Antialiasing);
    if (isChecked() && m_axis >= 0) {
        paintChip(painter, chip, shown(), m_axis, theme, ChipState::Applied);
    } else {
        painter.setPen(QPen(isChecked() ? theme.text : underMouse() ? theme.strongLine : theme.border, 1));
        painter.setBrush(isChecked() ? theme.selectedRow : theme.base);
        painter.drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(isChecked() ? theme.text : theme.secondary);
        painter.setFont(font());
        painter.drawText(chip, Qt::AlignCenter, shown());
    }
    if (!isEnabled()) {
        QColor veil = theme.base;
        veil.setAlphaF(0.6F);
        painter.fillRect(rect(), veil);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
}

void AxisToggle::enterEvent(QEnterEvent* event)
{
    QAbstractButton::enterEvent(event);
    update();
}

void AxisToggle::leaveEvent(QEvent* event)
{
    QAbstractButton::leaveEvent(event);
    update();
}

QColor axisTint(const Theme& theme, int axis)
{
    return mixed(theme.base, theme.meshAxis(axis), theme.dark ? 0.2 : 0.12);
}

QSize chipSize(const QString& text)
{
    return { QFontMetrics(Metrics::semibold()).horizontalAdvance(text) + 2 * Metrics::scaled(6), Metrics::scaled(18) };
}

void paintChip(QPainter& painter, const QRect& rect, const QString& text, int axis, const Theme& theme, ChipState state)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const bool known = axis >= 0;
    const QColor line = known ? theme.meshAxis(axis) : theme.strongLine;
    QColor fill = known ? axisTint(theme, axis) : theme.alternateRow;
    QColor letters = known ? theme.meshAxis(axis) : theme.secondary;
    QPen pen(line, state == ChipState::Applied ? 2 : 1);
    if (state == ChipState::Skipped) {
        letters = theme.secondary;
        fill = theme.base;
        pen = QPen(theme.strongLine, 1);
        pen.setDashPattern({ 3, 2 });
    } else if (state == ChipState::Target) {
        pen = QPen(theme.accent, 2);
    }
    painter.setPen(pen);
    painter.setBrush(fill);
    const qreal inset = pen.widthF() / 2;
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), 3, 3);
    painter.setFont(Metrics::semibold());
    painter.setPen(letters);
    const QFontMetrics metrics(Metrics::semibold());
    const QString shown = metrics.elidedText(text, Qt::ElideRight, rect.width() - Metrics::scaled(6));
    painter.drawText(rect, Qt::AlignCenter, shown);
    if (state == ChipState::Skipped) {
        const int half = metrics.horizontalAdvance(shown) / 2 + 5;
        painter.drawLine(rect.center() - QPoint(half, 0), rect.center() + QPoint(half, 0));
    }
    painter.restore();
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/axis_toggle.h"

#include <QPainter>

#include "views/theme/theme.h"
#include "views/widgets/chip.h"

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

QString AxisToggle::shown() const
{
    return m_place == 0 ? text() : u"%1 · %2"_s.arg(m_place).arg(text());
}

QSize AxisToggle::sizeHint() const
{
    return chipSize(shown()) + QSize(4, 4);
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

} // namespace shardscope

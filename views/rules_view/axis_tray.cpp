// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/axis_tray.h"

#include <QPainter>
#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/chip.h"

namespace shardscope {

AxisTray::AxisTray(QWidget* parent)
    : QWidget(parent)
{
    setAccessibleName(tr("Mesh axes to drop a logical name on"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void AxisTray::setAxes(const QStringList& names)
{
    m_names = names;
    updateGeometry();
    update();
}

void AxisTray::setTarget(int axis)
{
    if (m_target == axis)
        return;
    m_target = axis;
    update();
}

QRect AxisTray::chipRect(int axis) const
{
    int x = 0;
    for (int i = 0; i < axis; ++i)
        x += chipSize(m_names[i]).width() + 6;
    const QSize size = chipSize(m_names[axis]);
    return { QPoint(x, (height() - size.height()) / 2), size };
}

int AxisTray::axisAt(const QPoint& global) const
{
    const QPoint at = mapFromGlobal(global);
    for (int i = 0; i < m_names.size(); ++i)
        if (chipRect(i).adjusted(-3, -6, 3, 6).contains(at))
            return i;
    return -1;
}

QSize AxisTray::sizeHint() const
{
    int width = 0;
    for (const QString& name : m_names)
        width += chipSize(name).width() + 6;
    return { width, Metrics::scaled(24) };
}

void AxisTray::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    for (int i = 0; i < m_names.size(); ++i)
        paintChip(painter, chipRect(i), m_names[i], i, Theme::current(),
            i == m_target ? ChipState::Target : ChipState::Plain);
}

DragPlate::DragPlate(QWidget* window)
    : QWidget(window)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DragPlate::showAt(const QPoint& global, const QString& ghost, const QString& text)
{
    m_ghost = ghost;
    m_text = text;
    const QFontMetrics metrics(font());
    const int chip = chipSize(ghost).width();
    const int width =
        8 + chip + (text.isEmpty() ? 8 : 8 + std::min(metrics.horizontalAdvance(text), Metrics::scaled(420)) + 10);
    resize(width, Metrics::scaled(28));
    QPoint at = parentWidget()->mapFromGlobal(global) + QPoint(14, 10);
    at.setX(std::clamp(at.x(), 0, std::max(0, parentWidget()->width() - width)));
    at.setY(std::clamp(at.y(), 0, std::max(0, parentWidget()->height() - height())));
    move(at);
    show();
    raise();
    update();
}

void DragPlate::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setOpacity(m_text.isEmpty() ? 0.8 : 1);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_text.isEmpty()) {
        painter.setPen(theme.strongLine);
        painter.setBrush(theme.base);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
    const QSize size = chipSize(m_ghost);
    paintChip(painter, QRect(QPoint(6, (height() - size.height()) / 2), size), m_ghost, -1, theme);
    painter.setPen(theme.text);
    const QRect line(size.width() + 14, 0, width() - size.width() - 20, height());
    painter.drawText(
        line, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(m_text, Qt::ElideRight, line.width()));
}

} // namespace shardscope

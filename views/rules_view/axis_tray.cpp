// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/axis_tray.h"

#include <QFocusEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "views/theme/theme.h"
#include "views/widgets/chip.h"

namespace shardscope {

AxisTray::AxisTray(QWidget* parent)
    : Canvas(tr("Mesh axes to drop a logical name on"), parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(tr("Drag a logical name onto an axis. By keyboard: arrow keys choose an axis, Return maps the marked "
                  "rule's name to it, Ctrl+Return adds it, Esc gives up."));
}

void AxisTray::setAxes(const QStringList& names)
{
    if (std::exchange(m_names, names) == names)
        return;
    m_current = std::min(m_current, static_cast<int>(names.size()) - 1);
    arrange();
    tableChanged(this);
    // Chips that have no room beside each other stand in lines; none is cut off.
    int widest = 0;
    for (const QString& name : m_names)
        widest = std::max(widest, chipSize(name).width());
    setMinimumWidth(widest);
    updateGeometry();
    update();
}

void AxisTray::setTarget(int axis)
{
    if (std::exchange(m_target, axis) == axis)
        return;
    update();
}

void AxisTray::setSubject(const QString& name)
{
    setAccessibleDescription(name.isEmpty() ? QString() : tr("Maps %1").arg(name));
}

void AxisTray::pointAt(int axis, bool append)
{
    if (m_names.isEmpty())
        return;
    m_current = std::clamp(axis, 0, static_cast<int>(m_names.size()) - 1);
    update();
    tableCurrentChanged(this);
    Q_EMIT pointedAt(m_current, append);
}

void AxisTray::keyPressEvent(QKeyEvent* event)
{
    const bool append = event->modifiers() & Qt::ControlModifier;
    const int key = event->key();
    if (const auto axis = rowAfter(*event, m_current, tableRowCount(), Qt::Horizontal | Qt::Vertical)) {
        pointAt(*axis, append);
    } else if (key == Qt::Key_Control) {
        pointAt(m_current, true);
    } else if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        if (m_current >= 0)
            Q_EMIT chosen(m_current, append);
    } else if (key == Qt::Key_Escape) {
        if (m_current >= 0)
            Q_EMIT abandoned();
    } else {
        QWidget::keyPressEvent(event);
    }
}

void AxisTray::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Control && m_current >= 0)
        pointAt(m_current, false);
    else
        QWidget::keyReleaseEvent(event);
}

void AxisTray::mousePressEvent(QMouseEvent* event)
{
    if (const int axis = axisAt(event->globalPosition().toPoint()); axis >= 0)
        pointAt(axis, event->modifiers() & Qt::ControlModifier);
}

void AxisTray::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
        pointAt(std::max(m_current, 0), false);
}

void AxisTray::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    if (event->reason() == Qt::PopupFocusReason)
        return;
    m_current = -1;
    update();
    Q_EMIT abandoned();
}

void AxisTray::arrange()
{
    const int room = width() > 0 ? width() : QWIDGETSIZE_MAX;
    const int line = Metrics::scaled(24), gap = 6;
    const int lines = m_lines;
    m_chips.clear();
    m_lines = 1;
    int x = 0;
    for (const QString& name : m_names) {
        const QSize size = chipSize(name);
        if (x > 0 && x + size.width() > room) {
            x = 0;
            ++m_lines;
        }
        m_chips.emplace_back(QPoint(x, (m_lines - 1) * line + (line - size.height()) / 2), size);
        x += size.width() + gap;
    }
    if (m_lines != lines)
        updateGeometry();
}

QRect AxisTray::chipRect(int axis) const
{
    // In the middle of more room than the lines need.
    const int spare = std::max(0, (height() - m_lines * Metrics::scaled(24)) / 2);
    return m_chips[static_cast<std::size_t>(axis)].translated(0, spare);
}

int AxisTray::axisAt(const QPoint& global) const
{
    const QPoint at = mapFromGlobal(global);
    for (int i = 0; i < m_names.size(); ++i)
        if (chipRect(i).adjusted(-3, -3, 3, 3).contains(at))
            return i;
    return -1;
}

QSize AxisTray::sizeHint() const
{
    int width = 0;
    for (const QString& name : m_names)
        width += chipSize(name).width() + 6;
    return { width, m_lines * Metrics::scaled(24) };
}

void AxisTray::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    for (int i = 0; i < m_names.size(); ++i)
        paintChip(painter, chipRect(i), m_names[i], i, Theme::current(),
            i == m_target || (hasFocus() && i == m_current) ? ChipState::Target : ChipState::Plain);
}

} // namespace shardscope

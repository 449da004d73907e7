// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, keys and tool tips of the device map, and its table for screen readers.
#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

#include "document/selection.h"
#include "views/mesh_view/device_map.h"
#include "words/device_list.h"

namespace shardscope {

bool DeviceMap::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && m_mesh) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto square = squareAt(help->pos());
        if (!square) {
            QToolTip::hideText();
            return true;
        }
        const DeviceGroup devices = devicesOf(*square);
        QString text = QStringLiteral("<b>%1</b>").arg(words::deviceNames(devices));
        if (devices.size() > 1)
            text += tr(", %1 devices").arg(words::count(devices.size()));
        text += QStringLiteral("<br>") + placeText(*square).toHtmlEscaped();
        if (m_layout && shardOf(*square) < 0)
            text += QStringLiteral("<br>") + tr("different shards of the selected tensor");
        else if (const QString shared = sharedText(*square); !shared.isEmpty())
            text += QStringLiteral("<br>") + shared;
        QToolTip::showText(help->globalPos(), text, this, shownRect(*square));
        return true;
    }
    if (const PinchZoom::Steps steps = m_pinch.take(event); steps.isGesture) {
        const auto anchor = m_pointer ? positionAt(*m_pointer) : std::nullopt;
        if (steps.count > 0)
            zoomIn(anchor);
        else if (steps.count < 0)
            zoomOut(anchor);
        return true;
    }
    if (event->type() == QEvent::FocusOut && m_litBy == LitBy::Keys)
        light(std::nullopt, LitBy::Nobody);
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        Q_EMIT captionChanged();
    return QWidget::event(event);
}

void DeviceMap::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->pos();
    light(squareAt(event->pos()), LitBy::Pointer);
}

void DeviceMap::leaveEvent(QEvent*)
{
    m_pointer.reset();
    if (m_litBy == LitBy::Pointer)
        light(std::nullopt, LitBy::Nobody);
}

void DeviceMap::mousePressEvent(QMouseEvent* event)
{
    if (!m_mesh || event->button() != Qt::LeftButton)
        return;
    if (const auto square = squareAt(event->pos())) {
        select(*square);
        return;
    }
    m_current = -1;
    m_selection->setDevices({});
}

void DeviceMap::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto anchor = positionAt(event->pos()))
        zoomIn(anchor);
}

void DeviceMap::walk(std::int64_t lines, std::int64_t slots)
{
    std::int64_t next = 0;
    if (m_current >= 0) {
        const std::int64_t square = m_map.squareOf(m_current);
        std::int64_t line = m_map.lineOf(square) + lines;
        std::int64_t slot = m_map.slotOf(square) + slots;
        // As in a text: after the end of a line comes the beginning of the next one.
        if (slots > 0 && !m_map.squareIn(line, slot)) {
            ++line;
            slot = 0;
        } else if (slot < 0) {
            --line;
            slot = m_map.slotsPerLine() - 1;
        }
        line = lines == 0 ? line : std::clamp<std::int64_t>(line, 0, m_map.lineCount() - 1);
        while (slot > 0 && line >= 0 && line < m_map.lineCount() && !m_map.squareIn(line, slot))
            --slot; // a shorter line
        const auto found = m_map.squareIn(line, slot);
        if (!found)
            return;
        next = *found;
    }
    select(next);
    ensureVisible(next);
    light(next, LitBy::Keys);
    QString text = describe(next);
    if (const QString shared = sharedText(next); !shared.isEmpty())
        text += QStringLiteral("; ") + shared;
    setAccessibleDescription(text);
    tableCurrentChanged(this);
    Q_EMIT captionChanged();
}

void DeviceMap::keyPressEvent(QKeyEvent* event)
{
    if (!m_mesh) {
        QWidget::keyPressEvent(event);
        return;
    }
    const std::int64_t page = std::max<std::int64_t>((height() - m_top) / std::max(m_scroll->singleStep(), 1) - 1, 1);
    switch (event->key()) {
    case Qt::Key_Left:
        walk(0, -1);
        break;
    case Qt::Key_Right:
        walk(0, 1);
        break;
    case Qt::Key_Up:
        walk(-1, 0);
        break;
    case Qt::Key_Down:
        walk(1, 0);
        break;
    case Qt::Key_PageUp:
        walk(-page, 0);
        break;
    case Qt::Key_PageDown:
        walk(page, 0);
        break;
    case Qt::Key_Home:
        m_current = -1;
        walk(0, 0);
        break;
    case Qt::Key_End:
        m_current = m_mesh->deviceCount() - 1;
        walk(0, 0);
        break;
    case Qt::Key_Plus:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        zoomIn();
        break;
    case Qt::Key_Minus:
    case Qt::Key_Backspace:
        zoomOut();
        break;
    case Qt::Key_Escape:
        m_current = -1;
        m_selection->setDevices({});
        light(std::nullopt, LitBy::Nobody);
        Q_EMIT captionChanged();
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void DeviceMap::wheelEvent(QWheelEvent* event)
{
    const int turned = event->angleDelta().y();
    if (event->modifiers() & Qt::ControlModifier) {
        const std::optional<std::int64_t> anchor = positionAt(event->position().toPoint());
        if (turned > 0)
            zoomIn(anchor);
        else if (turned < 0)
            zoomOut(anchor);
        event->accept();
    } else if (m_scroll->maximum() > 0) {
        m_scroll->setValue(m_scroll->value() - turned * m_scroll->singleStep() * 3 / 120);
        event->accept();
    } else {
        event->ignore();
    }
}

// The table.

int DeviceMap::tableRowCount() const
{
    return m_mesh ? static_cast<int>(m_map.squareCount()) : 0;
}

QString DeviceMap::tableHeader(int column) const
{
    return column == 0 ? tr("Devices") : column == 1 ? tr("Place") : tr("Same shard on");
}

QString DeviceMap::tableText(int row, int column) const
{
    if (column == 1)
        return placeText(row);
    const DeviceGroup devices = devicesOf(row);
    if (column == 0)
        return words::deviceNames(devices);
    if (!m_layout)
        return {};
    if (shardOf(row) < 0)
        return tr("different shards");
    const DeviceGroup holders = holdersOf(row);
    return holders.size() > devices.size() ? words::devices(holders) : tr("no other device");
}

QRect DeviceMap::tableRect(int row) const
{
    return shownRect(row).intersected(viewport());
}

int DeviceMap::tableRowAt(QPoint point) const
{
    return static_cast<int>(squareAt(point).value_or(-1));
}

int DeviceMap::tableCurrentRow() const
{
    return m_mesh && m_current >= 0 ? static_cast<int>(m_map.squareOf(m_current)) : -1;
}

void DeviceMap::tableActivate(int row)
{
    select(row);
}

} // namespace shardscope

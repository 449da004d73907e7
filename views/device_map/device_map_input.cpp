// SPDX-License-Identifier: GPL-3.0-or-later
// What pointer and keys do in a map of devices: which device is lit and selected, and what its tip says.
// A part of DeviceMap, which is declared in device_map.h.
#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <iterator>
#include <set>

#include "document/selection.h"
#include "views/device_map/device_map.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

void DeviceMap::followSelection()
{
    m_selected = m_selection->deviceGroup();
    m_highlighted = m_selection->hoveredGroup();
    update();
}

void DeviceMap::highlight(std::optional<std::int64_t> cell, HighlightSource by)
{
    if (cell && deviceAt(*cell) < 0)
        cell.reset();
    const bool other = m_highlightedCell != cell;
    if (!cell && !other)
        return;
    m_highlightedCell = cell;
    m_highlightSource = cell ? by : HighlightSource::None;
    m_selection->setHoveredDevices(cell ? holdersAt(*cell) : DeviceGroup());
    if (other)
        Q_EMIT currentChanged();
}

void DeviceMap::followPointer()
{
    if (pointer() && !m_dragged && m_highlightSource == HighlightSource::Pointer)
        highlight(cellAt(*pointer()), HighlightSource::Pointer);
}

void DeviceMap::hoverAt(std::optional<QPoint> at)
{
    constexpr int farEnough = 4;
    if (at && m_pressed && m_level > 0 && (m_dragged || (*at - *m_pressed).manhattanLength() >= farEnough)) {
        if (!m_dragged) {
            m_dragged = offset();
            highlight(std::nullopt, HighlightSource::None);
            setCursor(Qt::ClosedHandCursor);
        }
        scrollTo(*m_dragged + *m_pressed - *at);
    } else if (at || m_highlightSource == HighlightSource::Pointer) {
        highlight(at ? cellAt(*at) : std::nullopt, HighlightSource::Pointer);
    }
}

void DeviceMap::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_field || m_layout.side() == 0) {
        QWidget::mousePressEvent(event);
        return;
    }
    m_pressed = event->position().toPoint();
}

void DeviceMap::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_pressed) {
        QWidget::mouseReleaseEvent(event);
        return;
    }
    const bool dragged = m_dragged.has_value();
    const QPoint at = *m_pressed;
    m_pressed.reset();
    m_dragged.reset();
    if (dragged) {
        unsetCursor();
        hoverAt(pointer());
    } else if (const auto cell = cellAt(at); cell && deviceAt(*cell) >= 0) {
        select(*cell, event->modifiers() & Qt::ControlModifier);
    } else if (viewport().contains(at)) {
        m_selection->setDevices({});
    }
}

void DeviceMap::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto anchor = cellAt(event->position().toPoint()))
        zoomIn(anchor);
}

void DeviceMap::select(std::int64_t cell, bool more)
{
    m_current = cell;
    DeviceGroup devices = devicesAt(cell);
    if (more) {
        // What is selected already is taken out again.
        std::vector<std::int32_t> all = m_selection->devices();
        const std::vector<std::int32_t> ids = devices.ids();
        const std::set<std::int32_t> before(all.begin(), all.end()), specified(ids.begin(), ids.end());
        if (std::includes(before.begin(), before.end(), specified.begin(), specified.end()))
            all.erase(std::remove_if(all.begin(), all.end(), [&](std::int32_t id) { return specified.contains(id); }),
                all.end());
        else
            std::copy_if(
                ids.begin(), ids.end(), std::back_inserter(all), [&](std::int32_t id) { return !before.contains(id); });
        devices = std::move(all);
    }
    m_selection->setDevices(std::move(devices));
    tableCurrentChanged(this);
}

void DeviceMap::walkTo(std::int64_t cell)
{
    if (deviceAt(cell) < 0)
        return;
    m_current = cell;
    ensureVisible(cell);
    highlight(cell, HighlightSource::Keys);
    const QString shared = sharedText(cell);
    setAccessibleDescription(shared.isEmpty() ? textAt(cell) : textAt(cell) + QStringLiteral("; ") + shared);
    tableCurrentChanged(this);
    Q_EMIT currentChanged();
    update();
}

void DeviceMap::keyPressEvent(QKeyEvent* event)
{
    const std::int64_t from = std::max<std::int64_t>(m_current, 0);
    const std::int64_t count = m_layout.shape().count();
    const auto step = [&](std::int64_t columns, std::int64_t rows) {
        walkTo(m_current < 0 ? 0 : m_layout.neighbour(from, columns, rows));
    };
    // The first cell from there on that has a device; lines of a long axis and boxes of chips may have some without.
    const auto nextDevice = [&](std::int64_t cell, std::int64_t by) {
        while (cell >= 0 && cell < count && deviceAt(cell) < 0)
            cell += by;
        return cell;
    };
    const std::int64_t page = std::max(viewport().height() / std::max(m_layout.side(), 1) - 1, 1);
    if (!m_field || m_layout.side() == 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1, 0);
    case Qt::Key_Right:
        return step(1, 0);
    case Qt::Key_Up:
        return step(0, -1);
    case Qt::Key_Down:
        return step(0, 1);
    case Qt::Key_PageUp:
        return step(0, -page);
    case Qt::Key_PageDown:
        return step(0, page);
    case Qt::Key_Home:
        return walkTo(nextDevice(0, 1));
    case Qt::Key_End:
        return walkTo(nextDevice(count - 1, -1));
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (deviceAt(m_current) >= 0)
            select(m_current, false);
        return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: // plus without Shift
        return zoomIn();
    case Qt::Key_Minus:
    case Qt::Key_Backspace:
        return zoomOut();
    case Qt::Key_Escape:
        if (m_current < 0 && m_selection->deviceGroup().empty()) // the window may have something to take back
            return QWidget::keyPressEvent(event);
        m_current = -1;
        m_selection->setDevices({});
        return highlight(std::nullopt, HighlightSource::None);
    case Qt::Key_0:
        return setLevel(0, std::nullopt);
    default:
        QWidget::keyPressEvent(event);
    }
}

Canvas::Tip DeviceMap::tipAt(QPoint point) const
{
    const auto cell = cellAt(point);
    QString text = cell ? textAt(*cell) : QString();
    if (text.isEmpty())
        return {};
    if (m_array) {
        const auto block = m_field->meshBlock(m_layout.blockOf(*cell));
        const QString holders =
            !block || m_digits.shardOf(*block) < 0 ? tr("different shards of the selected tensor") : sharedText(*cell);
        text += holders.isEmpty() ? QString() : QLatin1Char('\n') + holders;
    }
    return { plainTip(text), shownRect(*cell) };
}

void DeviceMap::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    Q_EMIT currentChanged();
}

void DeviceMap::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    if (m_highlightSource == HighlightSource::Keys)
        highlight(std::nullopt, HighlightSource::None);
    Q_EMIT currentChanged();
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// How a shard grid is zoomed: from the whole of it to cells with names, and to shards with all that is said of them.
// A part of GridCanvas, which is declared in grid_canvas.h.
#include <algorithm>

#include "views/shard_grid_view/grid_canvas.h"
#include "words/words.h"

namespace shardscope {

void GridCanvas::forgetPictures()
{
    m_rasters.clear();
    update();
}

void GridCanvas::setLevel(std::size_t level, std::optional<GridCell> anchor)
{
    if (!m_subject || m_grid.panels().empty())
        return;
    if (!anchor)
        anchor = m_current;
    if (!anchor)
        anchor = GridCell{ 0, m_grid.rows().first + m_grid.rows().shown / 2,
            m_grid.columns().first + m_grid.columns().shown / 2 };
    m_focus = *anchor;
    m_level = std::min(level, m_levels.size());
    m_window = {}; // laid out anew, around the cell
    arrange();
}

void GridCanvas::zoomIn(std::optional<GridCell> anchor)
{
    if (canZoomIn())
        setLevel(m_level + 1, anchor);
}

void GridCanvas::zoomOut()
{
    if (canZoomOut())
        setLevel(m_level - 1, m_focus);
}

void GridCanvas::zoomTo(int place)
{
    if (place >= 0 && static_cast<std::size_t>(place) <= m_level)
        setLevel(static_cast<std::size_t>(place), m_focus);
}

QStringList GridCanvas::trail() const
{
    if (!m_subject || m_level == 0 || !m_grid.has(m_focus))
        return {};
    QStringList places{ words::counted(m_subject->layout.distinctShards(), words::Noun::Shard) };
    const std::int64_t shard = m_grid.shardOf(m_focus);
    if (m_levels.size() > 1) {
        // Between all and one: the host that holds what was zoomed to, if one alone does.
        const DeviceGroup holders = DeviceGroup::holders(m_subject->layout, shard);
        const std::int32_t first = m_subject->hostOf(holders.deviceAt(0));
        const bool alone = first == m_subject->hostOf(holders.deviceAt(holders.size() - 1))
            && m_subject->mesh().deviceOrder().empty() && m_subject->hostsAreRuns()
            && m_subject->devicesPerHost < m_subject->mesh().deviceCount();
        places << (alone ? tr("around host %1").arg(first) : tr("around shard %1").arg(shard));
    }
    if (m_level == m_levels.size())
        places << tr("shard %1").arg(shard);
    return places;
}

void GridCanvas::moveWindow(std::int64_t rows, std::int64_t columns)
{
    if (m_level == 0 || !m_subject)
        return;
    const GridDimension &r = m_grid.rows(), &c = m_grid.columns();
    const auto moved = [](const GridDimension& d, std::int64_t by) {
        return std::clamp<std::int64_t>(d.first + by, 0, std::max<std::int64_t>(d.parts - d.shown, 0));
    };
    const GridWindow window{ moved(r, rows), r.shown, moved(c, columns), c.shown };
    if (window == GridWindow{ r.first, r.shown, c.first, c.shown })
        return;
    m_window = window;
    arrange();
}

void GridCanvas::ensureVisible(const GridCell& cell)
{
    const auto outside = [](const GridDimension& d, std::int64_t index) {
        return index < d.first ? index - d.first : index >= d.end() ? index - d.end() + 1 : 0;
    };
    moveWindow(outside(m_grid.rows(), cell.row), outside(m_grid.columns(), cell.column));
}

void GridCanvas::zoomAt(int steps, QPoint at)
{
    if (steps > 0)
        zoomIn(m_grid.cellAt(at));
    else
        zoomOut();
}

bool GridCanvas::scrollBy(QPoint turned, Qt::KeyboardModifiers keys)
{
    if (m_level == 0)
        return false;
    const bool across = keys & Qt::ShiftModifier;
    const auto steps = [](int angle) {
        return -(angle == 0 ? 0 : angle > 0 ? std::max(angle / 120, 1) : std::min(angle / 120, -1));
    };
    moveWindow(across ? 0 : steps(turned.y()), across ? steps(turned.y()) : steps(turned.x()));
    return true;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The shard grid as a table for screen readers: all panels one below the other. Grids with more cells than a person
// would walk are cut off; the figures of every shard remain reachable with the arrow keys.
// A part of GridCanvas, which is declared in grid_canvas.h.
#include <algorithm>

#include "document/selection.h"
#include "views/shard_grid_view/grid_canvas.h"

namespace shardscope {

namespace {

constexpr std::int64_t maxLines = 256;

} // namespace

int GridCanvas::tableRowsPerPanel() const
{
    return static_cast<int>(std::min<std::int64_t>(m_grid.rows().parts, maxLines));
}

GridCell GridCanvas::tableCell(int row, int column) const
{
    const int rows = std::max(tableRowsPerPanel(), 1);
    return { row / rows, row % rows, column };
}

int GridCanvas::tableRowCount() const
{
    return m_subject ? tableRowsPerPanel() * static_cast<int>(m_grid.panels().size()) : 0;
}

int GridCanvas::tableColumnCount() const
{
    const bool drawn = m_subject && !m_grid.panels().empty();
    return drawn ? static_cast<int>(std::min<std::int64_t>(m_grid.columns().parts, maxLines)) : 0;
}

QString GridCanvas::tableText(int row, int column) const
{
    const CellText cell = describeCell(*m_subject, m_grid.shardOf(tableCell(row, column)));
    return tr("shard row %1 column %2, %3").arg(row).arg(column).arg(cell.ranges);
}

QString GridCanvas::tableDescription(int row, int column) const
{
    const CellText cell = describeCell(*m_subject, m_grid.shardOf(tableCell(row, column)));
    return cell.holding + QLatin1Char(' ') + cell.copies;
}

QRect GridCanvas::tableRect(int row) const
{
    const int last = static_cast<int>(std::min<std::int64_t>(m_grid.columns().end(), tableColumnCount())) - 1;
    return tableCellRect(row, static_cast<int>(m_grid.columns().first)).united(tableCellRect(row, last));
}

QRect GridCanvas::tableCellRect(int row, int column) const
{
    const GridCell cell = tableCell(row, column);
    return m_grid.shows(cell) ? m_grid.cellRect(cell) : QRect(); // zoomed away
}

int GridCanvas::tableRowAt(QPoint point) const
{
    const auto cell = m_grid.cellAt(point);
    const bool listed = cell && cell->row < tableRowsPerPanel() && cell->column < tableColumnCount();
    return listed ? static_cast<int>(cell->row) + cell->panel * tableRowsPerPanel() : -1;
}

int GridCanvas::tableColumnAt(QPoint point) const
{
    const auto cell = m_grid.cellAt(point);
    return cell ? static_cast<int>(cell->column) : 0;
}

int GridCanvas::tableCurrentRow() const
{
    const bool listed = m_current && m_current->row < tableRowsPerPanel() && m_current->column < tableColumnCount();
    return listed ? static_cast<int>(m_current->row) + m_current->panel * tableRowsPerPanel() : -1;
}

int GridCanvas::tableCurrentColumn() const
{
    return m_current ? static_cast<int>(m_current->column) : 0;
}

void GridCanvas::tableActivateCell(int row, int column)
{
    const GridCell cell = tableCell(row, column);
    setCurrentCell(cell);
    m_selection->setDevices(DeviceGroup::holders(m_subject->layout, m_grid.shardOf(cell)));
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The shards as a table for screen readers: all panels one below the other. Tables with more cells than a person would
// walk are cut off; every shard remains reachable with the arrow keys.
#include <algorithm>

#include "document/selection.h"
#include "views/shard_grid_view/grid_canvas.h"

namespace shardscope {

namespace {

constexpr std::int64_t longest = 256; ///< rows of a panel, and columns

} // namespace

int GridCanvas::rowsPerPanel() const
{
    return static_cast<int>(std::clamp<std::int64_t>(m_grid.rows().pieces, 1, longest));
}

GridCell GridCanvas::cellOfTable(int row, int column) const
{
    return { row / rowsPerPanel(), row % rowsPerPanel(), column };
}

int GridCanvas::tableRowCount() const
{
    return m_subject ? rowsPerPanel() * static_cast<int>(m_grid.panels().size()) : 0;
}

int GridCanvas::tableColumnCount() const
{
    return m_subject && !m_grid.panels().empty()
        ? static_cast<int>(std::min<std::int64_t>(m_grid.columns().pieces, longest))
        : 0;
}

QString GridCanvas::tableHeader(int column) const
{
    return tr("column %1").arg(column);
}

QString GridCanvas::tableRowName(int row) const
{
    return tr("row %1").arg(row);
}

QString GridCanvas::tableText(int row, int column) const
{
    const CellText cell = describeCell(*m_subject, m_grid.shardOf(cellOfTable(row, column)));
    return tr("shard row %1 column %2, %3").arg(row).arg(column).arg(cell.ranges);
}

QString GridCanvas::tableDescription(int row, int column) const
{
    const CellText cell = describeCell(*m_subject, m_grid.shardOf(cellOfTable(row, column)));
    return cell.holding + QLatin1Char(' ') + cell.copies;
}

QRect GridCanvas::tableRect(int row) const
{
    return tableCellRect(row, 0).united(tableCellRect(row, tableColumnCount() - 1));
}

QRect GridCanvas::tableCellRect(int row, int column) const
{
    return m_grid.cellRect(cellOfTable(row, column));
}

int GridCanvas::tableRowAt(QPoint point) const
{
    const auto cell = m_subject ? m_grid.cellAt(point) : std::nullopt;
    return cell && cell->row < rowsPerPanel() ? static_cast<int>(cell->row) + cell->panel * rowsPerPanel() : -1;
}

int GridCanvas::tableColumnAt(QPoint point) const
{
    const auto cell = m_grid.cellAt(point);
    return cell ? static_cast<int>(std::min<std::int64_t>(cell->column, longest)) : 0;
}

int GridCanvas::tableCurrentRow() const
{
    return m_current && m_current->row < rowsPerPanel()
        ? static_cast<int>(m_current->row) + m_current->panel * rowsPerPanel()
        : -1;
}

int GridCanvas::tableCurrentColumn() const
{
    return m_current ? static_cast<int>(std::min<std::int64_t>(m_current->column, longest)) : 0;
}

void GridCanvas::tableActivateCell(int row, int column)
{
    const GridCell cell = cellOfTable(row, column);
    setCurrentCell(cell);
    m_selection->setDevices(m_subject->layout.holders(m_grid.shardOf(cell)));
}

} // namespace shardscope

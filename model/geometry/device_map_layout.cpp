// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/device_map_layout.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr std::int64_t maxTitledPanels = 64;

std::int64_t divided(std::int64_t number, std::int64_t by)
{
    return (number + by - 1) / by;
}

QRect withoutHeads(const QRect& area, const MapSizes& sizes)
{
    return area.adjusted(sizes.heads.width(), sizes.heads.height(), 0, 0);
}

} // namespace

DeviceMapLayout::DeviceMapLayout(const MapShape& shape, const QRect& area, const MapSizes& sizes)
    : m_shape(shape)
{
    if (area.width() < 1 || area.height() < 1 || shape.count() < 1)
        return;
    // With names if that can be, else as large as can be.
    MapSizes closer = sizes;
    closer.gap = sizes.gap / 2;
    for (const MapSizes& tried : { sizes, closer })
        if (!sizes.named.isEmpty() && fitCells(area, tried, sizes.named.height()) && m_width >= sizes.named.width())
            return;
    if (fitCells(area, sizes, sizes.smallest))
        return;
    m_side = 0;
    m_heads = false;
    while (true) {
        // Tiles are squares where planes are; of a long plane they join what is long.
        const std::int64_t columns = divided(shape.columns, m_tile.columns), rows = divided(shape.rows, m_tile.rows);
        if (columns == 1 && rows == 1)
            break;
        if (2 * columns > rows)
            m_tile.columns = std::min(2 * m_tile.columns, shape.columns);
        if (2 * rows > columns)
            m_tile.rows = std::min(2 * m_tile.rows, shape.rows);
        if (fitTiles(area, sizes))
            return;
    }
    for (int side = sizes.tile; side >= 1; --side) // a tile for every plane
        if (arrange(area, side, 0, std::min(side / 3, 2), 4, Split::Never))
            return;
}

bool DeviceMapLayout::fitCells(const QRect& area, const MapSizes& sizes, int smallest)
{
    // Parts of planes whose cells are smaller would hide how they belong together.
    const int smallestSplit = sizes.foldsTiles ? smallest : 6;
    const bool single = m_shape.planes == 1;
    const QRect room = single ? withoutHeads(area, sizes) : area;
    int full = 0, split = 0;
    for (int side = sizes.largest; side >= smallest && full == 0; --side)
        if (fitSide(room, sizes, side, Split::Never))
            full = side;
    for (int side = sizes.largest; side >= std::max(smallest, smallestSplit) && split == 0; --side)
        if (fitSide(area, sizes, side, Split::AsNeeded))
            split = side;
    m_heads = false;
    // Names beside rows and columns are worth some of the size.
    if (full > 0 && (single ? 3 * full >= 2 * split : full >= split)) {
        m_heads = single && !sizes.heads.isEmpty();
        return fitSide(room, sizes, full, Split::Never);
    }
    return split > 0 && fitSide(area, sizes, split, Split::AsNeeded);
}

bool DeviceMapLayout::fitSide(const QRect& area, const MapSizes& sizes, int side, Split split)
{
    // Titles go before cells become small, gaps before cells become blocks.
    const bool named = m_shape.planes > 1 || split == Split::AsNeeded;
    const int titled = named && m_shape.planes <= maxTitledPanels ? sizes.title : 0;
    const bool roomy = side >= sizes.largest / 5;
    const int gap = roomy ? sizes.gap : std::max(2, sizes.gap / 4);
    const double widest = roomy || sizes.widest <= 1 ? sizes.widest : 4;
    if (!roomy && titled > 0 && sizes.titleWidth > 0 && arrange(area, side, titled, gap, widest, split)
        && m_panels.front().rect.width() >= sizes.titleWidth)
        return true;
    return arrange(area, side, roomy ? titled : 0, gap, widest, split);
}

bool DeviceMapLayout::fitTiles(const QRect& area, const MapSizes& sizes)
{
    const bool single = m_shape.planes == 1;
    const QRect room = single ? withoutHeads(area, sizes) : area;
    const int titled = !single && m_shape.planes <= maxTitledPanels && sizes.titleWidth > 0 ? sizes.title : 0;
    const int gap = std::max(3, sizes.gap / 3);
    const double widest = std::min(sizes.widest, 2.0); // tiles are no bars
    m_heads = single && !sizes.heads.isEmpty();
    // Names are worth a fifth of the size.
    for (int side = sizes.largest; titled > 0 && side >= sizes.tile * 4 / 5; --side)
        if (arrange(room, side, titled, gap, widest, Split::Never) && m_panels.front().rect.width() >= sizes.titleWidth)
            return true;
    for (int side = sizes.largest; side >= sizes.tile; --side)
        if (arrange(room, side, 0, gap, widest, Split::Never))
            return true;
    m_heads = false;
    for (int side = sizes.largest; sizes.foldsTiles && side >= sizes.tile; --side)
        if (arrange(area, side, sizes.title, gap, widest, Split::AsNeeded)
            && m_panels.front().rect.width() >= sizes.titleWidth)
            return true;
    return false;
}

bool DeviceMapLayout::arrange(const QRect& area, int side, int title, int gap, double widest, Split split)
{
    const std::int64_t columns = divided(m_shape.columns, m_tile.columns), rows = divided(m_shape.rows, m_tile.rows);
    const std::int64_t maxColumns = area.width() / side, maxRows = (area.height() - title) / side;
    if (maxColumns < 1 || maxRows < 1 || (split == Split::Never && (columns > maxColumns || rows > maxRows)))
        return false;
    // A plane that does not fit is split evenly.
    const std::int64_t parts = divided(columns, maxColumns), slabs = divided(rows, maxRows);
    const std::int64_t panelColumns = divided(columns, parts), panelRows = divided(rows, slabs);
    const std::int64_t across = divided(columns, panelColumns), down = divided(rows, panelRows);
    const std::int64_t perPlane = across * down, count = m_shape.planes * perPlane;
    const std::int64_t width = panelColumns * side + gap, height = panelRows * side + title + gap;
    std::int64_t perLine = (area.width() + gap) / width;
    if (perLine < 1)
        return false;
    const std::int64_t group = m_shape.planesPerGroup * perPlane;
    std::int64_t lines = 0, linesOfGroup = 1;
    if (group > perLine && group < count) { // a slice on lines of its own
        linesOfGroup = divided(group, perLine);
        perLine = divided(group, linesOfGroup);
        lines = linesOfGroup * (count / group);
    } else {
        if (group > 1 && group <= perLine)
            perLine = perLine / group * group;
        else if (perPlane > 1 && perPlane <= perLine)
            perLine = perLine / perPlane * perPlane;
        lines = divided(count, perLine);
        // As many on every line: four in two lines of two, not three and one.
        const std::int64_t unit = group > 1 && group <= perLine ? group : perPlane <= perLine ? perPlane : 1;
        perLine = std::min(perLine, divided(divided(count, lines), unit) * unit);
    }
    if (lines * height - gap > area.height())
        return false;
    m_side = side;
    // Width that is left over goes to the cells.
    const std::int64_t perPanel = (area.width() + gap) / std::min(perLine, count) - gap;
    m_width = static_cast<int>(
        std::clamp<std::int64_t>(perPanel / panelColumns, side, static_cast<std::int64_t>(side * widest)));
    m_title = title;
    m_gap = gap;
    m_panelColumns = panelColumns * m_tile.columns;
    m_panelRows = panelRows * m_tile.rows;
    m_perLine = perLine;
    m_linesOfGroup = linesOfGroup;
    place(area.topLeft());
    return true;
}

/// Panels line by line, each line as many pixels high as a panel that is full.
void DeviceMapLayout::place(QPoint origin)
{
    const std::int64_t across = divided(m_shape.columns, m_panelColumns), down = divided(m_shape.rows, m_panelRows);
    const std::int64_t perPlane = across * down, count = m_shape.planes * perPlane;
    const std::int64_t group = m_shape.planesPerGroup * perPlane;
    const std::int64_t width = divided(m_panelColumns, m_tile.columns) * m_width + m_gap;
    const std::int64_t height = divided(m_panelRows, m_tile.rows) * m_side + m_title + m_gap;
    m_panels.clear();
    m_panels.reserve(static_cast<std::size_t>(count));
    for (std::int64_t panel = 0; panel < count; ++panel) {
        const std::int64_t part = panel % across, slab = panel / across % down;
        MapPanel made;
        made.plane = panel / perPlane;
        made.firstColumn = part * m_panelColumns;
        made.endColumn = std::min(made.firstColumn + m_panelColumns, m_shape.columns);
        made.firstRow = slab * m_panelRows;
        made.endRow = std::min(made.firstRow + m_panelRows, m_shape.rows);
        const std::int64_t inLines = m_linesOfGroup > 1 ? panel % group : panel;
        const std::int64_t line = (m_linesOfGroup > 1 ? panel / group * m_linesOfGroup : 0) + inLines / m_perLine;
        made.rect = QRect(origin.x() + static_cast<int>(inLines % m_perLine * width),
            origin.y() + m_title + static_cast<int>(line * height),
            static_cast<int>(divided(made.endColumn - made.firstColumn, m_tile.columns)) * m_width,
            static_cast<int>(divided(made.endRow - made.firstRow, m_tile.rows)) * m_side);
        m_panels.push_back(made);
    }
}

DeviceMapLayout DeviceMapLayout::zoomed(
    const MapTile& tile, QSize pixels, int title, int gap, QPoint origin, bool heads) const
{
    DeviceMapLayout layout = *this;
    if (m_side == 0)
        return layout;
    layout.m_tile = tile;
    if (!splitsPlanes()) {
        layout.m_panelColumns = divided(m_shape.columns, tile.columns) * tile.columns;
        layout.m_panelRows = divided(m_shape.rows, tile.rows) * tile.rows;
    }
    layout.m_width = pixels.width();
    layout.m_side = pixels.height();
    layout.m_title = title;
    layout.m_gap = gap;
    layout.m_heads = heads;
    layout.place(origin);
    return layout;
}

QRect DeviceMapLayout::bounds() const
{
    QRect all;
    for (const MapPanel& panel : m_panels)
        all = all.united(panel.rect).united(titleRect(panel));
    return all;
}

QRect DeviceMapLayout::titleRect(const MapPanel& panel) const
{
    return { panel.rect.left(), panel.rect.top() - m_title, panel.rect.width(), m_title };
}

QRect DeviceMapLayout::groupRect(std::int64_t group) const
{
    QRect all;
    for (const MapPanel& panel : m_panels)
        if (panel.plane / m_shape.planesPerGroup == group)
            all = all.united(panel.rect).united(titleRect(panel));
    return all;
}

std::size_t DeviceMapLayout::panelOf(std::int64_t cell) const
{
    const std::int64_t column = cell % m_shape.columns, row = cell / m_shape.columns % m_shape.rows;
    const std::int64_t plane = cell / (m_shape.columns * m_shape.rows);
    const std::int64_t across = divided(m_shape.columns, m_panelColumns), down = divided(m_shape.rows, m_panelRows);
    return static_cast<std::size_t>((plane * down + row / m_panelRows) * across + column / m_panelColumns);
}

QRect DeviceMapLayout::rectOf(std::int64_t cell) const
{
    if (m_side == 0)
        return {};
    const MapPanel& panel = m_panels[panelOf(cell)];
    const std::int64_t column = cell % m_shape.columns - panel.firstColumn;
    const std::int64_t row = cell / m_shape.columns % m_shape.rows - panel.firstRow;
    return { panel.rect.left() + static_cast<int>(column / m_tile.columns) * m_width,
        panel.rect.top() + static_cast<int>(row / m_tile.rows) * m_side, m_width, m_side };
}

MapBlock DeviceMapLayout::blockOf(std::int64_t cell) const
{
    if (m_side == 0)
        return {};
    const MapPanel& panel = m_panels[panelOf(cell)];
    const std::int64_t column = cell % m_shape.columns, row = cell / m_shape.columns % m_shape.rows;
    MapBlock block;
    block.plane = panel.plane;
    block.firstColumn = panel.firstColumn + (column - panel.firstColumn) / m_tile.columns * m_tile.columns;
    block.firstRow = panel.firstRow + (row - panel.firstRow) / m_tile.rows * m_tile.rows;
    block.endColumn = std::min(block.firstColumn + m_tile.columns, panel.endColumn);
    block.endRow = std::min(block.firstRow + m_tile.rows, panel.endRow);
    return block;
}

std::optional<std::int64_t> DeviceMapLayout::cellAt(QPoint point) const
{
    for (const MapPanel& panel : m_panels) {
        if (!panel.rect.contains(point))
            continue;
        const std::int64_t column = panel.firstColumn + (point.x() - panel.rect.left()) / m_width * m_tile.columns;
        const std::int64_t row = panel.firstRow + (point.y() - panel.rect.top()) / m_side * m_tile.rows;
        return m_shape.cell(panel.plane, row, column);
    }
    return std::nullopt;
}

MapBlock DeviceMapLayout::within(const MapPanel& panel, const QRect& clip) const
{
    const QRect seen = panel.rect.intersected(clip);
    if (seen.isEmpty() || m_side == 0)
        return { panel.plane, panel.firstRow, panel.firstRow, panel.firstColumn, panel.firstColumn };
    MapBlock block;
    block.plane = panel.plane;
    block.firstColumn = panel.firstColumn + (seen.left() - panel.rect.left()) / m_width * m_tile.columns;
    block.firstRow = panel.firstRow + (seen.top() - panel.rect.top()) / m_side * m_tile.rows;
    block.endColumn = std::min(
        panel.firstColumn + ((seen.right() - panel.rect.left()) / m_width + 1) * m_tile.columns, panel.endColumn);
    block.endRow =
        std::min(panel.firstRow + ((seen.bottom() - panel.rect.top()) / m_side + 1) * m_tile.rows, panel.endRow);
    return block;
}

std::int64_t DeviceMapLayout::neighbour(std::int64_t cell, std::int64_t columns, std::int64_t rows) const
{
    std::int64_t column = cell % m_shape.columns + columns * m_tile.columns;
    std::int64_t row = cell / m_shape.columns % m_shape.rows + rows * m_tile.rows;
    std::int64_t plane = cell / (m_shape.columns * m_shape.rows);
    const auto within = [&](std::int64_t& index, std::int64_t size) {
        const std::int64_t step = index < 0 ? -1 : index >= size ? 1 : 0;
        if (plane + step < 0 || plane + step >= m_shape.planes) {
            index = std::clamp<std::int64_t>(index, 0, size - 1);
            return;
        }
        plane += step;
        index -= step * size;
        index = std::clamp<std::int64_t>(index, 0, size - 1);
    };
    within(column, m_shape.columns);
    within(row, m_shape.rows);
    return m_shape.cell(plane, row, column);
}

namespace {

constexpr double edgeMargin = 0.12; ///< of a cell, between its edge and the end of a path

/// The step from one cell to the next: -1, 0 or 1 each way.
struct Step {
    int across = 0, down = 0;
};

Step stepOf(const QRectF& from, const QRectF& to)
{
    const QPointF way = to.center() - from.center();
    const bool alongRow = qAbs(way.x()) >= qAbs(way.y());
    return { alongRow ? (way.x() > 0 ? 1 : way.x() < 0 ? -1 : 0) : 0, alongRow ? 0 : (way.y() > 0 ? 1 : -1) };
}

/// Near the edge of a cell at that side.
QPointF nearEdge(const QRectF& cell, Step side)
{
    return cell.center()
        + QPointF(side.across * cell.width() * (0.5 - edgeMargin), side.down * cell.height() * (0.5 - edgeMargin));
}

} // namespace

QList<QPointF> pathThrough(const std::vector<QRectF>& cells)
{
    QList<QPointF> line;
    for (const QRectF& cell : cells)
        line << cell.center();
    if (cells.size() == 1)
        line.front() = nearEdge(cells.front(), { -1, 0 });
    else if (!cells.empty()) {
        const Step out = stepOf(cells[0], cells[1]);
        line.front() = nearEdge(cells.front(), { -out.across, -out.down });
        line.back() = nearEdge(cells.back(), stepOf(cells[cells.size() - 2], cells.back()));
    }
    return line;
}

} // namespace shardscope

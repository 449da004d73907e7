// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/grid_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace shardscope {

namespace {

/// The dimensions that do not span the panels.
struct Others {
    std::vector<int> inRows, inColumns, multiples, sliders, folded;
};

Others othersOf(const Layout& layout, const GridLayout::Choice& choice)
{
    Others others;
    std::size_t nested = 0;
    for (int d = 0; d < static_cast<int>(layout.shape().size()); ++d) {
        switch (GridLayout::placeOf(layout, choice, d)) {
        case GridPlace::Nest:
            (nested++ % 2 == 0 ? others.inColumns : others.inRows).push_back(d);
            break;
        case GridPlace::Multiples:
            others.multiples.push_back(d);
            break;
        case GridPlace::Slider:
            others.sliders.push_back(d);
            break;
        case GridPlace::Fold:
            others.folded.push_back(d);
            break;
        case GridPlace::Rows:
        case GridPlace::Columns:
            break;
        }
    }
    return others;
}

std::int64_t product(const Shape& grid, const std::vector<int>& dimensions)
{
    std::int64_t all = 1;
    for (const int d : dimensions)
        all *= grid[static_cast<std::size_t>(d)];
    return all;
}

std::int64_t linesOf(const Layout& layout, int dimension, const std::vector<int>& nested)
{
    return dimension < 0 ? 1 : product(layout.shardGrid(), { dimension }) * product(layout.shardGrid(), nested);
}

/// Counts through the blocks of these dimensions, the last one fastest: `number` is what others counted before.
template <typename Block>
std::int64_t blockNumber(
    const Block& block, const Shape& grid, const std::vector<int>& dimensions, std::int64_t number = 0)
{
    for (const int d : dimensions)
        number = number * grid[static_cast<std::size_t>(d)] + block[static_cast<std::size_t>(d)];
    return number;
}

/// The blocks that the number stands for; returns what is left of it for those that count before.
template <typename Block>
std::int64_t putBlocks(Block& block, const Shape& grid, const std::vector<int>& dimensions, std::int64_t number)
{
    for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d) {
        const std::int64_t parts = grid[static_cast<std::size_t>(*d)];
        block[static_cast<std::size_t>(*d)] = number % parts;
        number /= parts;
    }
    return number;
}

std::vector<int> allDimensions(const Shape& grid)
{
    std::vector<int> all(grid.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

GridDimension dimensionOf(
    const Layout& layout, int dimension, std::vector<int> nested, std::int64_t first, std::int64_t shown)
{
    if (dimension < 0)
        return {};
    const auto d = static_cast<std::size_t>(dimension);
    const std::int64_t parts = linesOf(layout, dimension, nested), inner = product(layout.shardGrid(), nested);
    first = shown == 0 ? 0 : std::clamp<std::int64_t>(first, 0, std::max<std::int64_t>(parts - shown, 0));
    return { dimension, layout.shape()[d], parts, layout.shardShape()[d], first,
        shown == 0 ? parts : std::min(shown, parts), inner, std::move(nested) };
}

/// Boundary `index` of `parts` equal parts of [start, start + length).
int edge(int start, int length, std::int64_t index, std::int64_t parts)
{
    return start + pixelEdge(length, index, parts);
}

/// Padding is drawn this wide at least, so that it is seen where it is a thousandth of the array; but it never covers
/// more than a quarter of a cell that way.
int minimumPadding(int length, std::int64_t parts)
{
    return static_cast<int>(std::min<std::int64_t>(5, length / std::max<std::int64_t>(parts, 1) / 4));
}

/// Where the array ends along a dimension that is drawn over [start, start + length); nothing for no padding.
std::optional<int> paddingFrom(const GridDimension& d, int start, int length)
{
    if (!d.padded() || d.inner > 1 || d.size >= d.end() * d.block)
        return std::nullopt;
    const std::int64_t before = std::max<std::int64_t>(d.size - d.first * d.block, 0);
    return std::min(edge(start, length, before, d.shown * d.block), start + length - minimumPadding(length, d.shown));
}

} // namespace

int pixelEdge(int length, std::int64_t index, std::int64_t parts)
{
    // Of more parts than pixels can tell apart, several are taken as one: the product stays within 64 bits.
    constexpr std::int64_t maxParts = std::int64_t{ 1 } << 40;
    const std::int64_t together = parts / maxParts + 1;
    return static_cast<int>(std::int64_t{ length } * (index / together) / std::max<std::int64_t>(parts / together, 1));
}

std::int64_t partAt(int pixel, int length, std::int64_t parts)
{
    // The last one whose edge is not after the pixel.
    const std::int64_t after = (std::int64_t{ pixel } + 1) * parts;
    const std::int64_t part = (after + length - 1) / std::max(length, 1) - 1;
    return std::clamp<std::int64_t>(part, 0, std::max<std::int64_t>(parts - 1, 0));
}

GridLayout::GridLayout(const Layout& layout, const Choice& choice, QSize area, const GridMargins& margins,
    const GridWindow& window, const HostTile& host)
    : m_grid(layout.shardGrid())
    , m_host(host)
{
    Others others = othersOf(layout, choice);
    m_rows = dimensionOf(layout, choice.rows, std::move(others.inRows), window.firstRow, window.rows);
    m_columns = dimensionOf(layout, choice.columns, std::move(others.inColumns), window.firstColumn, window.columns);
    m_multiples = std::move(others.multiples);
    m_sliders = std::move(others.sliders);
    m_folded = std::move(others.folded);
    m_panelsInAll = product(m_grid, m_multiples);
    m_slides.resize(m_grid.size());
    for (const int slider : m_sliders) {
        const auto d = static_cast<std::size_t>(slider);
        m_slides[d] = d < choice.slides.size() ? std::clamp<std::int64_t>(choice.slides[d], 0, m_grid[d] - 1) : 0;
    }
    placePanels(layout, area, margins);
    chooseDetail();
}

HostTile GridLayout::hostTile(const Layout& layout, const Choice& choice, std::int32_t devicesPerHost)
{
    constexpr std::int32_t most = 4096; // no host has more devices
    if (devicesPerHost < 2 || devicesPerHost > most || devicesPerHost >= layout.mesh().deviceCount()
        || !layout.mesh().deviceOrder().empty() || choice.columns < 0)
        return {};
    if (const Others others = othersOf(layout, choice); !others.inColumns.empty() || !others.sliders.empty())
        return {};
    std::vector<std::int64_t> rows, columns, shards;
    for (std::int64_t position = 0; position < devicesPerHost; ++position) {
        const Shape block = layout.blockAt(position);
        rows.push_back(choice.rows < 0 ? 0 : block[static_cast<std::size_t>(choice.rows)]);
        columns.push_back(block[static_cast<std::size_t>(choice.columns)]);
        shards.push_back(layout.shardAt(position));
    }
    const auto different = [](std::vector<std::int64_t>& list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return static_cast<std::int64_t>(list.size());
    };
    const HostTile tile{ different(rows), different(columns) };
    const bool together = rows.back() == tile.rows - 1 && columns.back() == tile.columns - 1;
    // Else the tile of a later host would go over the end of a row.
    const bool fills =
        linesOf(layout, choice.rows, {}) % tile.rows == 0 && linesOf(layout, choice.columns, {}) % tile.columns == 0;
    return together && fills && different(shards) == tile.rows * tile.columns ? tile : HostTile{};
}

GridWindow GridLayout::windowAround(const Layout& layout, const Choice& choice, QSize area, const GridMargins& margins,
    GridDetail wanted, const GridCell& cell)
{
    const Others others = othersOf(layout, choice);
    const std::int64_t allRows = linesOf(layout, choice.rows, others.inRows);
    const std::int64_t allColumns = linesOf(layout, choice.columns, others.inColumns);
    const QSize least = wanted >= GridDetail::Full ? QSize(88, 40)
        : wanted >= GridDetail::Name               ? QSize(48, 18)
                                                   : QSize(12, 12);
    GridWindow window;
    window.rows = std::clamp<std::int64_t>((area.height() - margins.top) / least.height(), 1, allRows);
    window.columns = std::clamp<std::int64_t>((area.width() - margins.left) / least.width(), 1, allColumns);
    // The proportions of the array may leave less than all of the area.
    for (;;) {
        window.firstRow = std::max<std::int64_t>(cell.row - window.rows / 2, 0);
        window.firstColumn = std::max<std::int64_t>(cell.column - window.columns / 2, 0);
        const GridLayout grid(layout, choice, area, margins, window);
        if (grid.panels().empty() || (window.rows == 1 && window.columns == 1))
            return window;
        const QSize panel = grid.panels().front().size();
        const bool fitsAcross = panel.width() / window.columns >= least.width();
        const bool fitsDown = panel.height() / window.rows >= least.height();
        if (fitsAcross && fitsDown)
            return window;
        if (!fitsAcross && window.columns > 1)
            window.columns = (window.columns * 3 + 3) / 4 - (window.columns < 4 ? 1 : 0);
        if (!fitsDown && window.rows > 1)
            window.rows = (window.rows * 3 + 3) / 4 - (window.rows < 4 ? 1 : 0);
        if ((fitsAcross || window.columns == 1) && (fitsDown || window.rows == 1)) {
            // One way cannot get any better: the other way makes room by its share of the picture.
            if (!fitsAcross)
                window.rows = std::max<std::int64_t>(window.rows / 2, 1);
            else
                window.columns = std::max<std::int64_t>(window.columns / 2, 1);
        }
    }
}

bool GridLayout::isClamped() const
{
    return m_rows.dimension >= 0 && std::abs(m_trueAspect - m_drawnAspect) > 0.01 * m_drawnAspect;
}

std::vector<std::int64_t> GridLayout::panelIndex(int panel) const
{
    Shape block(m_grid.size());
    putBlocks(block, m_grid, m_multiples, panel);
    std::vector<std::int64_t> index;
    for (const int d : m_multiples)
        index.push_back(block[static_cast<std::size_t>(d)]);
    return index;
}

std::int64_t GridLayout::slide() const
{
    return blockNumber(m_slides, m_grid, m_sliders);
}

std::int64_t GridLayout::slides() const
{
    return product(m_grid, m_sliders);
}

GridLayout::Choice GridLayout::choiceAt(Choice choice, std::int64_t slide) const
{
    choice.slides.resize(m_grid.size());
    putBlocks(choice.slides, m_grid, m_sliders, slide);
    return choice;
}

int GridLayout::columnEdge(const QRect& panel, std::int64_t index) const
{
    return edge(panel.left(), panel.width(), index - m_columns.first, m_columns.shown);
}

int GridLayout::rowEdge(const QRect& panel, std::int64_t index) const
{
    return edge(panel.top(), panel.height(), index - m_rows.first, m_rows.shown);
}

QRect GridLayout::cellRect(const GridCell& cell) const
{
    const QRect& panel = m_panels[static_cast<std::size_t>(cell.panel)];
    const QPoint topLeft(columnEdge(panel, cell.column), rowEdge(panel, cell.row));
    const QPoint bottomRight(columnEdge(panel, cell.column + 1) - 1, rowEdge(panel, cell.row + 1) - 1);
    return { topLeft, bottomRight };
}

QRect GridLayout::markRect(const GridCell& cell) const
{
    if (m_detail != GridDetail::Raster)
        return cellRect(cell);
    const auto begin = [](std::int64_t index, std::int64_t perTile, std::int64_t first) {
        return std::max(index / perTile * perTile, first);
    };
    const std::int64_t row = begin(cell.row, m_rowsPerTile, m_rows.first);
    const std::int64_t column = begin(cell.column, m_columnsPerTile, m_columns.first);
    const std::int64_t lastRow = std::min(row + m_rowsPerTile, m_rows.end()) - 1;
    const std::int64_t lastColumn = std::min(column + m_columnsPerTile, m_columns.end()) - 1;
    return cellRect({ cell.panel, row, column }).united(cellRect({ cell.panel, lastRow, lastColumn }));
}

QRect GridLayout::rightPadding(const QRect& panel) const
{
    const auto x = paddingFrom(m_columns, panel.left(), panel.width());
    return x ? QRect(*x, panel.top(), panel.right() + 1 - *x, panel.height()) : QRect();
}

QRect GridLayout::bottomPadding(const QRect& panel) const
{
    const auto y = paddingFrom(m_rows, panel.top(), panel.height());
    return y ? QRect(panel.left(), *y, panel.width(), panel.bottom() + 1 - *y) : QRect();
}

std::vector<QRect> GridLayout::padding(const QRect& panel) const
{
    std::vector<QRect> parts;
    for (const QRect& part : { rightPadding(panel), bottomPadding(panel) })
        if (!part.isEmpty())
            parts.push_back(part);
    // Nested lines end one by one.
    const auto strips = [&](const GridDimension& d, auto&& edgeOf, auto&& add) {
        if (!d.padded() || d.inner == 1)
            return;
        for (std::int64_t line = std::max(d.first, d.size / d.block * d.inner); line < d.end(); ++line) {
            const std::int64_t filled = std::clamp<std::int64_t>(d.size - line / d.inner * d.block, 0, d.block);
            const int begin = edgeOf(line), end = edgeOf(line + 1);
            const int from = std::min(edge(begin, end - begin, filled, d.block), end - minimumPadding(end - begin, 1));
            if (filled < d.block && from < end)
                add(from, end);
        }
    };
    strips(
        m_columns, [&](std::int64_t line) { return columnEdge(panel, line); },
        [&](int from, int end) { parts.emplace_back(from, panel.top(), end - from, panel.height()); });
    strips(
        m_rows, [&](std::int64_t line) { return rowEdge(panel, line); },
        [&](int from, int end) { parts.emplace_back(panel.left(), from, panel.width(), end - from); });
    return parts;
}

std::optional<GridCell> GridLayout::cellAt(QPoint point) const
{
    for (int i = 0; i < static_cast<int>(m_panels.size()); ++i) {
        const QRect& panel = m_panels[static_cast<std::size_t>(i)];
        if (panel.contains(point))
            return GridCell{ i, m_rows.first + partAt(point.y() - panel.top(), panel.height(), m_rows.shown),
                m_columns.first + partAt(point.x() - panel.left(), panel.width(), m_columns.shown) };
    }
    return std::nullopt;
}

bool GridLayout::has(const GridCell& cell) const
{
    return cell.panel < static_cast<int>(m_panels.size()) && cell.row < m_rows.parts && cell.column < m_columns.parts;
}

bool GridLayout::shows(const GridCell& cell) const
{
    return has(cell) && cell.row >= m_rows.first && cell.row < m_rows.end() && cell.column >= m_columns.first
        && cell.column < m_columns.end();
}

std::int64_t GridLayout::shardOf(const GridCell& cell) const
{
    Shape block = m_slides;
    putBlocks(block, m_grid, m_multiples, cell.panel);
    for (const auto& [d, index] : { std::pair(&m_rows, cell.row), std::pair(&m_columns, cell.column) })
        if (d->dimension >= 0)
            block[static_cast<std::size_t>(d->dimension)] = putBlocks(block, m_grid, d->nested, index);
    return blockNumber(block, m_grid, allDimensions(m_grid));
}

std::optional<GridCell> GridLayout::cellOf(std::int64_t shard) const
{
    Shape block(m_grid.size());
    if (putBlocks(block, m_grid, allDimensions(m_grid), shard) != 0)
        return std::nullopt;
    for (const int d : m_sliders)
        if (block[static_cast<std::size_t>(d)] != slideOf(d))
            return std::nullopt;
    const std::int64_t panel = blockNumber(block, m_grid, m_multiples);
    if (panel >= static_cast<std::int64_t>(m_panels.size()))
        return std::nullopt;
    const auto line = [&](const GridDimension& d) {
        return d.dimension < 0 ? std::int64_t{ 0 }
                               : blockNumber(block, m_grid, d.nested, block[static_cast<std::size_t>(d.dimension)]);
    };
    const GridCell cell{ static_cast<int>(panel), line(m_rows), line(m_columns) };
    return shows(cell) ? std::optional(cell) : std::nullopt;
}

} // namespace shardscope

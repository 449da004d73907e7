// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shard_grid_view/grid_layout.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

namespace {

constexpr double widest = 4.0;

GridDimension dimensionOf(const Layout& layout, int dimension, std::int64_t first, std::int64_t shown)
{
    if (dimension < 0)
        return {};
    const auto d = static_cast<std::size_t>(dimension);
    const std::int64_t pieces = layout.shardGrid()[d];
    first = shown == 0 ? 0 : std::clamp<std::int64_t>(first, 0, std::max<std::int64_t>(pieces - shown, 0));
    return { dimension, layout.shape()[d], pieces, layout.shardShape()[d], first,
        shown == 0 ? pieces : std::min(shown, pieces) };
}

/// Boundary `index` of `pieces` equal parts of [start, start + length).
int edge(int start, int length, std::int64_t index, std::int64_t pieces)
{
    return start + static_cast<int>(std::int64_t{ length } * index / std::max<std::int64_t>(pieces, 1));
}

/// The part that a pixel lies in; edge() rounds down, so the part is found by search around the quotient.
std::int64_t partAt(int offset, int length, std::int64_t pieces)
{
    std::int64_t part = std::clamp<std::int64_t>(
        std::int64_t{ offset } * pieces / std::max(length, 1), 0, std::max<std::int64_t>(pieces - 1, 0));
    while (part + 1 < pieces && edge(0, length, part + 1, pieces) <= offset)
        ++part;
    while (part > 0 && edge(0, length, part, pieces) > offset)
        --part;
    return part;
}

/// Padding is drawn this wide at least, so that it is seen where it is a thousandth of the array; but it never covers
/// more than a quarter of a cell that way.
int leastPadding(int length, std::int64_t pieces)
{
    return static_cast<int>(std::min<std::int64_t>(5, length / std::max<std::int64_t>(pieces, 1) / 4));
}

} // namespace

GridLayout::Choice GridLayout::defaultChoice(const Layout& layout)
{
    const int rank = static_cast<int>(layout.shape().size());
    if (rank == 0)
        return {};
    if (rank == 1)
        return { -1, 0 };
    std::vector<int> order(static_cast<std::size_t>(rank));
    for (int i = 0; i < rank; ++i)
        order[static_cast<std::size_t>(i)] = i;
    const auto pieces = [&layout](int d) { return layout.shardGrid()[static_cast<std::size_t>(d)]; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        if (pieces(a) != pieces(b))
            return pieces(a) > pieces(b);
        return pieces(a) == 1 && a > b; // among uncut ones the last dimensions
    });
    return { std::min(order[0], order[1]), std::max(order[0], order[1]) };
}

GridLayout::GridLayout(const Layout& layout, Choice choice, QSize area, const GridMargins& margins,
    const GridWindow& window, const HostTile& host)
    : m_grid(layout.shardGrid())
    , m_rows(dimensionOf(layout, choice.rows, window.firstRow, window.rows))
    , m_columns(dimensionOf(layout, choice.columns, window.firstColumn, window.columns))
    , m_host(host)
{
    const int rank = static_cast<int>(layout.shape().size());
    for (int d = 0; d < rank; ++d) {
        if (d == choice.rows || d == choice.columns)
            continue;
        const std::int64_t pieces = m_grid[static_cast<std::size_t>(d)];
        if (pieces > 1) {
            m_multiples.push_back(d);
            m_panelsInAll *= pieces;
        } else {
            m_folded.push_back(d);
        }
    }
    int count = static_cast<int>(std::min<std::int64_t>(m_panelsInAll, maximumPanels));

    m_trueAspect = rank < 2 ? (rank == 0 ? 3.0 : widest)
                            : static_cast<double>(m_columns.shown * m_columns.block)
            / static_cast<double>(std::max<std::int64_t>(m_rows.shown * m_rows.block, 1));
    if (m_columns.extent() == 0 || m_rows.extent() == 0)
        m_trueAspect = 1; // an array without elements has no proportions
    m_drawnAspect = std::clamp(m_trueAspect, 1 / widest, widest);

    // The arrangement that leaves the panels largest.
    const int title = count > 1 ? margins.panelTitle : 0;
    const int width = std::max(area.width() - margins.left, 1);
    const int height = std::max(area.height() - margins.top, 1);
    QSize best(0, 0);
    int bestAcross = 1;
    const auto arrange = [&] {
        for (int across = 1; across <= count; ++across) {
            const int down = (count + across - 1) / across;
            const int roomX = (width - (across - 1) * margins.gap) / across;
            const int roomY = (height - (down - 1) * margins.gap) / down - title;
            if (roomX < 1 || roomY < 1)
                continue;
            const int w = std::max(1, std::min(roomX, static_cast<int>(std::floor(roomY * m_drawnAspect))));
            const int h = std::max(1, std::min(roomY, static_cast<int>(std::floor(w / m_drawnAspect))));
            if (std::int64_t{ w } * h > std::int64_t{ best.width() } * best.height()) {
                best = { w, h };
                bestAcross = across;
            }
        }
    };
    // Where not even narrow slivers of all panels fit, fewer are drawn; where not even one fits, none.
    for (arrange(); best.isEmpty() && count > 0; arrange())
        count /= 2;
    if (best.isEmpty()) {
        m_detail = GridDetail::Raster;
        return;
    }
    if (rank == 0)
        best = best.boundedTo({ 240, 80 });
    for (int i = 0; i < count; ++i) {
        const int x = margins.left + (i % bestAcross) * (best.width() + margins.gap);
        const int y = margins.top + title + (i / bestAcross) * (best.height() + title + margins.gap);
        m_panels.emplace_back(QPoint(x, y), best);
    }

    const double cellWidth =
        static_cast<double>(best.width()) / static_cast<double>(std::max<std::int64_t>(m_columns.shown, 1));
    const double cellHeight =
        static_cast<double>(best.height()) / static_cast<double>(std::max<std::int64_t>(m_rows.shown, 1));
    const double smaller = std::min(cellWidth, cellHeight);
    if (cellWidth >= 48 && cellHeight >= 28)
        m_detail = GridDetail::Full;
    else if (cellWidth >= 24 && cellHeight >= 14)
        m_detail = GridDetail::Name;
    else if (smaller >= 12)
        m_detail = GridDetail::Marks;
    else if (smaller >= 3)
        m_detail = GridDetail::Colour;
    else
        m_detail = GridDetail::Raster;
    if (m_detail == GridDetail::Raster) {
        constexpr double smallestHost = 3, smallestTile = 6;
        const auto rowsTall = [&](std::int64_t n) { return cellHeight * static_cast<double>(n); };
        const auto columnsWide = [&](std::int64_t n) { return cellWidth * static_cast<double>(n); };
        m_rowsPerTile = host.rows;
        m_columnsPerTile = host.columns;
        if (rowsTall(m_rowsPerTile) >= smallestHost && columnsWide(m_columnsPerTile) >= smallestHost)
            return;
        while (rowsTall(m_rowsPerTile) < smallestTile && m_rowsPerTile < m_rows.shown)
            m_rowsPerTile *= 2;
        while (columnsWide(m_columnsPerTile) < smallestTile && m_columnsPerTile < m_columns.shown)
            m_columnsPerTile *= 2;
    }
}

HostTile GridLayout::hostTile(const Layout& layout, Choice choice, std::int32_t devicesPerHost)
{
    constexpr std::int32_t most = 4096; // no host has more devices
    if (devicesPerHost < 2 || devicesPerHost > most || devicesPerHost >= layout.mesh().deviceCount()
        || !layout.mesh().deviceOrder().empty() || choice.columns < 0)
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
    return together && different(shards) == tile.rows * tile.columns ? tile : HostTile{};
}

GridWindow GridLayout::windowAround(const Layout& layout, Choice choice, QSize area, const GridMargins& margins,
    GridDetail wanted, const GridCell& cell)
{
    const auto piecesOf = [&](int dimension) {
        return dimension < 0 ? std::int64_t{ 1 } : layout.shardGrid()[static_cast<std::size_t>(dimension)];
    };
    const QSize least = wanted >= GridDetail::Full ? QSize(88, 40)
        : wanted >= GridDetail::Name               ? QSize(48, 18)
                                                   : QSize(12, 12);
    GridWindow window;
    window.rows = std::clamp<std::int64_t>((area.height() - margins.top) / least.height(), 1, piecesOf(choice.rows));
    window.columns =
        std::clamp<std::int64_t>((area.width() - margins.left) / least.width(), 1, piecesOf(choice.columns));
    // The proportions of the array may leave less than all of the area.
    for (;;) {
        window.firstRow = std::max<std::int64_t>(cell.row - window.rows / 2, 0);
        window.firstColumn = std::max<std::int64_t>(cell.column - window.columns / 2, 0);
        const GridLayout grid(layout, choice, area, margins, window);
        if (grid.panels().empty() || (window.rows == 1 && window.columns == 1))
            return window;
        const QSize panel = grid.panels().front().size();
        const bool wide = panel.width() / window.columns >= least.width();
        const bool tall = panel.height() / window.rows >= least.height();
        if (wide && tall)
            return window;
        if (!wide && window.columns > 1)
            window.columns = (window.columns * 3 + 3) / 4 - (window.columns < 4 ? 1 : 0);
        if (!tall && window.rows > 1)
            window.rows = (window.rows * 3 + 3) / 4 - (window.rows < 4 ? 1 : 0);
        if ((wide || window.columns == 1) && (tall || window.rows == 1)) {
            // One way cannot get any better: the other way makes room by its share of the picture.
            if (!wide)
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
    std::vector<std::int64_t> index(m_multiples.size());
    std::int64_t rest = panel;
    for (std::size_t i = m_multiples.size(); i-- > 0;) {
        const std::int64_t pieces = m_grid[static_cast<std::size_t>(m_multiples[i])];
        index[i] = rest % pieces;
        rest /= pieces;
    }
    return index;
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
    const GridDimension& d = m_columns;
    if (!d.padded() || d.size >= d.end() * d.block)
        return {};
    const std::int64_t before = std::max<std::int64_t>(d.size - d.first * d.block, 0);
    const int x = std::min(edge(panel.left(), panel.width(), before, d.shown * d.block),
        panel.right() + 1 - leastPadding(panel.width(), d.shown));
    return { x, panel.top(), panel.right() + 1 - x, panel.height() };
}

QRect GridLayout::bottomPadding(const QRect& panel) const
{
    const GridDimension& d = m_rows;
    if (!d.padded() || d.size >= d.end() * d.block)
        return {};
    const std::int64_t before = std::max<std::int64_t>(d.size - d.first * d.block, 0);
    const int y = std::min(edge(panel.top(), panel.height(), before, d.shown * d.block),
        panel.bottom() + 1 - leastPadding(panel.height(), d.shown));
    return { panel.left(), y, panel.width(), panel.bottom() + 1 - y };
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
    return cell.panel < static_cast<int>(m_panels.size()) && cell.row < m_rows.pieces && cell.column < m_columns.pieces;
}

bool GridLayout::shows(const GridCell& cell) const
{
    return has(cell) && cell.row >= m_rows.first && cell.row < m_rows.end() && cell.column >= m_columns.first
        && cell.column < m_columns.end();
}

std::int64_t GridLayout::shardOf(const GridCell& cell) const
{
    const std::vector<std::int64_t> panel = panelIndex(cell.panel);
    std::int64_t number = 0;
    for (std::size_t d = 0; d < m_grid.size(); ++d) {
        std::int64_t block = 0;
        if (static_cast<int>(d) == m_rows.dimension)
            block = cell.row;
        else if (static_cast<int>(d) == m_columns.dimension)
            block = cell.column;
        else if (const auto at = std::find(m_multiples.begin(), m_multiples.end(), static_cast<int>(d));
                 at != m_multiples.end())
            block = panel[static_cast<std::size_t>(at - m_multiples.begin())];
        number = number * m_grid[d] + block;
    }
    return number;
}

std::optional<GridCell> GridLayout::cellOf(std::int64_t shard) const
{
    std::vector<std::int64_t> block(m_grid.size());
    for (std::size_t d = m_grid.size(); d-- > 0;) {
        block[d] = shard % m_grid[d];
        shard /= m_grid[d];
    }
    if (shard != 0)
        return std::nullopt;
    std::int64_t panel = 0;
    for (const int d : m_multiples)
        panel = panel * m_grid[static_cast<std::size_t>(d)] + block[static_cast<std::size_t>(d)];
    if (panel >= static_cast<std::int64_t>(m_panels.size()))
        return std::nullopt;
    const auto at = [&block](int d) { return d < 0 ? std::int64_t{ 0 } : block[static_cast<std::size_t>(d)]; };
    const GridCell cell{ static_cast<int>(panel), at(m_rows.dimension), at(m_columns.dimension) };
    return shows(cell) ? std::optional(cell) : std::nullopt;
}

} // namespace shardscope

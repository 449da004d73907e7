// SPDX-License-Identifier: GPL-3.0-or-later
// Where everything of a shard grid lies: geometry and hit test, without a window.
//
// Two dimensions of the array span a panel in true proportions. Further dimensions that are sharded give one panel per
// block (small multiples), stand within each cell (nest), or show one block at a time (slider); unsharded ones fold
// away. Cells are blocks, not devices: their number does not grow with copies, and no rectangle is stored per cell.
//
//     f32[1024, 1024] over P(None, 'model'), model = 4: one panel, 1 row, 4 columns
//     f32[4, 8, 16, 64] over P('a', 'b', 'c', None), each axis 2: two panels of 2 rows and 2 columns; with the first
//     dimension nested, one panel of 2 rows and 2 columns of two cells each
#pragma once

#include <QPoint>
#include <QRect>
#include <QSize>
#include <algorithm>
#include <optional>
#include <vector>

#include "sharding/layout.h"

namespace shardscope {

/// Where a dimension of the array goes: the slots of the axis tray.
enum class GridPlace : std::uint8_t {
    Rows, ///< down the panels
    Columns, ///< across the panels
    Nest, ///< within each cell: the first one across, the next one down, and so on
    Multiples, ///< one panel per block
    Slider, ///< one block at a time
    Fold, ///< not drawn: it is not sharded
};

/// A dimension as it is drawn. `dimension` -1: the array has none here.
struct GridDimension {
    int dimension = -1;
    std::int64_t size = 1; ///< elements of the array
    std::int64_t parts = 1; ///< lines of cells: blocks, times what is nested in each
    std::int64_t block = 1; ///< elements per block, padding included
    std::int64_t first = 0; ///< line drawn first, and how many are
    std::int64_t shown = 1;
    std::int64_t inner = 1; ///< lines within a block
    std::vector<int> nested = {}; ///< dimensions that these count through, major first
    [[nodiscard]] std::int64_t end() const { return first + shown; }
    [[nodiscard]] std::int64_t blocks() const { return parts / inner; }
    /// Elements drawn: the array and its padding.
    [[nodiscard]] std::int64_t extent() const { return blocks() * block; }
    [[nodiscard]] bool padded() const { return extent() > size; }
    /// The blocks that are drawn of it, if only in part.
    [[nodiscard]] std::int64_t firstBlock() const { return first / inner; }
    [[nodiscard]] std::int64_t endBlock() const { return (end() + inner - 1) / inner; }
    /// The elements of a block that belong to the array.
    [[nodiscard]] std::int64_t blockBegin(std::int64_t index) const { return std::min(index * block, size); }
    [[nodiscard]] std::int64_t blockEnd(std::int64_t index) const { return blockBegin(index + 1); }
};

struct GridCell {
    int panel = 0;
    std::int64_t row = 0;
    std::int64_t column = 0;
    bool operator==(const GridCell&) const = default;
};

/// The blocks that are drawn of each panel: some rows and columns of it, or all.
struct GridWindow {
    std::int64_t firstRow = 0, rows = 0; ///< 0 rows: all of them
    std::int64_t firstColumn = 0, columns = 0;
    [[nodiscard]] bool isFull() const { return rows == 0 && columns == 0; }
    bool operator==(const GridWindow&) const = default;
};

/// How many rows and columns of cells the devices of one host hold, where they hold such a block; 1 × 1 otherwise.
struct HostTile {
    std::int64_t rows = 1, columns = 1;
    bool operator==(const HostTile&) const = default;
};

/// How much a cell has room for.
enum class GridDetail : std::uint8_t {
    Raster, ///< below 3 px: one picture, no lines
    Colour, ///< 3 px: colour and gap line
    Marks, ///< 12 px: patterns as well
    Name, ///< 24 x 14: the devices, where they fit
    Full, ///< 48 x 28: copies and ranges as well
};

/// Room around and between panels, in pixels.
struct GridMargins {
    int left = 0; ///< row names and ranges
    int top = 0; ///< column names, sharding line and ranges
    int panelTitle = 0; ///< "layers = 0", only with several panels
    int gap = 28; ///< between panels
};

/// Of `parts` equal parts of `length` pixels: the pixel at which part `index` begins, rounded down. Parts may be the
/// elements of a dimension, as many as 64 bits count.
[[nodiscard]] int pixelEdge(int length, std::int64_t index, std::int64_t parts);
/// The part that a pixel lies in, by the same edges: blocks, or elements that can be read, up to 2^40.
[[nodiscard]] std::int64_t partAt(int pixel, int length, std::int64_t parts);

class GridLayout {
public:
    /// Where each dimension goes.
    struct Choice {
        int rows = -1; ///< -1 where the array has none
        int columns = -1;
        /// Of the other dimensions, by their number: Nest, Multiples or Slider. A sharded one that has none of these is
        /// a multiple; one that is not sharded folds, whatever stands here.
        std::vector<GridPlace> others = {};
        std::vector<std::int64_t> slides = {}; ///< the block that a slider shows, by dimension; absent: the first one
        bool operator==(const Choice&) const = default;
    };
    /// Dimensions by the number of their blocks, the largest first; of several unsharded ones the last one first.
    [[nodiscard]] static std::vector<int> dimensionsByShards(const Shape& blocks);
    /// The two dimensions sharded most, the earlier one as rows; unsharded ones, the last first, where fewer are
    /// sharded. Where the others would give more panels than are drawn, those sharded most are on sliders.
    static Choice defaultChoice(const Layout& layout);
    /// The dimension at another place. What stood in the rows or columns takes the place that it leaves; where it
    /// leaves rows or columns for another place, the next dimension comes in. Nothing where it cannot go there: an
    /// unsharded dimension can span a panel or fold, a sharded one can do anything but fold, and something has to span
    /// panels.
    static std::optional<Choice> moved(const Layout& layout, const Choice& choice, int dimension, GridPlace place);
    [[nodiscard]] static GridPlace placeOf(const Layout& layout, const Choice& choice, int dimension);

    GridLayout() = default;
    GridLayout(const Layout& layout, const Choice& choice, QSize area, const GridMargins& margins,
        const GridWindow& window = {}, const HostTile& host = {});
    /// Where the first host's devices are in the grid, `devicesPerHost` mesh positions in a row. There is no such tile
    /// for devices in another order than that of their ids, for grids with nested dimensions or sliders, and where
    /// tiles of that size do not fill the grid.
    static HostTile hostTile(const Layout& layout, const Choice& choice, std::int32_t devicesPerHost);
    /// A window around a cell in which cells have room for `wanted`, as large as the area allows; one cell at least.
    static GridWindow windowAround(const Layout& layout, const Choice& choice, QSize area, const GridMargins& margins,
        GridDetail wanted, const GridCell& cell);

    [[nodiscard]] const GridDimension& rows() const { return m_rows; }
    [[nodiscard]] const GridDimension& columns() const { return m_columns; }
    [[nodiscard]] const std::vector<QRect>& panels() const { return m_panels; }
    /// Dimensions that the panels count through, major first.
    [[nodiscard]] const std::vector<int>& multiples() const { return m_multiples; }
    /// Block coordinates of a panel, one per multiple.
    [[nodiscard]] std::vector<std::int64_t> panelIndex(int panel) const;
    /// Panels there would be if all were drawn; more than panels().size() beyond the limit.
    [[nodiscard]] std::int64_t panelsInAll() const { return m_panelsInAll; }
    /// Dimensions that are not sharded and not drawn.
    [[nodiscard]] const std::vector<int>& folded() const { return m_folded; }
    /// Dimensions of which one block is drawn, and which one that is.
    [[nodiscard]] const std::vector<int>& sliders() const { return m_sliders; }
    [[nodiscard]] std::int64_t slideOf(int dimension) const { return m_slides[static_cast<std::size_t>(dimension)]; }
    /// Which of all combinations of blocks the sliders show, the last slider counting fastest, and how many there are.
    [[nodiscard]] std::int64_t slide() const;
    [[nodiscard]] std::int64_t slides() const;
    /// The choice that shows that one.
    [[nodiscard]] Choice choiceAt(Choice choice, std::int64_t slide) const;

    /// Width : height of the array and of the drawing.
    [[nodiscard]] double trueAspect() const { return m_trueAspect; }
    [[nodiscard]] double drawnAspect() const { return m_drawnAspect; }
    /// The array is longer than what can be drawn in proportion.
    [[nodiscard]] bool isClamped() const;

    [[nodiscard]] GridDetail detail() const { return m_detail; }
    /// Cells that share one visible tile where single ones are too small to be told apart; 1 otherwise. A tile is what
    /// a host holds where that is large enough, else several of these.
    [[nodiscard]] std::int64_t rowsPerTile() const { return m_rowsPerTile; }
    [[nodiscard]] std::int64_t columnsPerTile() const { return m_columnsPerTile; }
    [[nodiscard]] const HostTile& hostTile() const { return m_host; }
    /// Pixels of a block boundary, first <= index <= end.
    [[nodiscard]] int columnEdge(const QRect& panel, std::int64_t index) const;
    [[nodiscard]] int rowEdge(const QRect& panel, std::int64_t index) const;
    [[nodiscard]] QRect cellRect(const GridCell& cell) const;
    /// What is outlined for a cell: the cell, or the tile that it is in where cells cannot be told apart.
    [[nodiscard]] QRect markRect(const GridCell& cell) const;
    /// The part of a panel that lies beyond the array's end, to the right and below; empty where cells are nested in
    /// that direction, since each of them ends there.
    [[nodiscard]] QRect rightPadding(const QRect& panel) const;
    [[nodiscard]] QRect bottomPadding(const QRect& panel) const;
    /// All parts of a panel that lie beyond the array's end.
    [[nodiscard]] std::vector<QRect> padding(const QRect& panel) const;
    [[nodiscard]] std::optional<GridCell> cellAt(QPoint point) const;

    [[nodiscard]] bool has(const GridCell& cell) const;
    /// It is in the window.
    [[nodiscard]] bool shows(const GridCell& cell) const;
    /// Number of the shard that a cell stands for, and back; nothing for cells that are not drawn.
    [[nodiscard]] std::int64_t shardOf(const GridCell& cell) const;
    [[nodiscard]] std::optional<GridCell> cellOf(std::int64_t shard) const;

    static constexpr int maximumPanels = 64;

private:
    void placePanels(const Layout& layout, QSize area, const GridMargins& margins);
    void chooseDetail();

    Shape m_grid;
    GridDimension m_rows, m_columns;
    std::vector<int> m_multiples, m_folded, m_sliders;
    Shape m_slides; ///< block shown, by dimension; of those on sliders
    std::vector<QRect> m_panels;
    std::int64_t m_panelsInAll = 1;
    double m_trueAspect = 1, m_drawnAspect = 1;
    GridDetail m_detail = GridDetail::Full;
    std::int64_t m_rowsPerTile = 1, m_columnsPerTile = 1;
    HostTile m_host;
};

} // namespace shardscope

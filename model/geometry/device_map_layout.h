// SPDX-License-Identifier: GPL-3.0-or-later
// Where cells of a machine or a mesh lie in a map. Geometry and hit test alone.
//
// Cells stand in planes of columns and rows; planes stand side by side. A plane that is too long one way is split into
// several panels. Where single cells would be too small to be told apart, a tile stands for a block of them. The same
// arrangement with tiles of another size is what a map that is zoomed scrolls over.
//
//     a torus of 4 x 4 x 4 chips: four planes of 4 x 4 beside each other
//     a mesh of 1024 x 16: 16 columns of 16 tiles, each for 64 rows
#pragma once

#include <QList>
#include <QPointF>
#include <QRect>
#include <QRectF>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope {

/// The way of a path through cells that follow each other along rows and columns: through their centres, where names on
/// plates stand over it, from the near edge of the first cell to the far edge of the last. Of one cell a point at its
/// left.
[[nodiscard]] QList<QPointF> pathThrough(const std::vector<QRectF>& cells);

struct MapShape {
    std::int64_t columns = 1, rows = 1, planes = 1;
    std::int64_t planesPerGroup = 1; ///< those of one slice
    std::int64_t together = 1; ///< columns that touch each other: the cores of a chip

    [[nodiscard]] std::int64_t count() const { return columns * rows * planes; }
    /// Cells count through the columns of a row, the rows of a plane, and the planes.
    [[nodiscard]] std::int64_t cell(std::int64_t plane, std::int64_t row, std::int64_t column) const
    {
        return (plane * rows + row) * columns + column;
    }
    bool operator==(const MapShape&) const = default;
};

/// Cells of one plane, ends exclusive.
struct MapBlock {
    std::int64_t plane = 0, firstRow = 0, endRow = 1, firstColumn = 0, endColumn = 1;
    [[nodiscard]] std::int64_t count() const { return (endRow - firstRow) * (endColumn - firstColumn); }
    bool operator==(const MapBlock&) const = default;
};

/// A part of a plane and the pixels of its tiles.
struct MapPanel : MapBlock {
    QRect rect;
    bool operator==(const MapPanel&) const = default;
};

/// Columns and rows of cells that share a tile.
struct MapTile {
    std::int64_t columns = 1, rows = 1;
    [[nodiscard]] std::int64_t cells() const { return columns * rows; }
    bool operator==(const MapTile&) const = default;
};

/// Sizes in pixels that the layout keeps to.
struct MapSizes {
    int largest = 40; ///< side of a cell
    int smallest = 3; ///< side of a cell that is drawn for itself
    int tile = 12; ///< side of a tile of several cells
    int title = 16; ///< height of a panel's title, where panels are few
    int gap = 12; ///< between panels
    int titleWidth = 0; ///< narrow panels of small cells have titles where these have room; 0 = never
    QSize named = { 0, 0 }; ///< a cell with a name; gaps give way for it. 0 = names do not count
    bool foldsTiles = false; ///< planes may be split into panels where cells are tiles, too
    double widest = 1; ///< how much wider than high cells with room for names may be; others four times as much
    QSize heads = { 0, 0 }; ///< room for the names of rows (left) and columns (above) of a single plane
};

class DeviceMapLayout {
public:
    DeviceMapLayout() = default;
    /// As much as fits into the area.
    DeviceMapLayout(const MapShape& shape, const QRect& area, const MapSizes& sizes);
    /// Panels as they are here, from `origin` on, with tiles of that size; `heads`: names of rows and columns have
    /// their room outside of it. Planes that are split into panels stay so.
    [[nodiscard]] DeviceMapLayout zoomed(
        const MapTile& tile, QSize pixels, int title, int gap, QPoint origin, bool heads) const;

    [[nodiscard]] const MapShape& shape() const { return m_shape; }
    [[nodiscard]] const std::vector<MapPanel>& panels() const { return m_panels; }
    /// Height of a tile; 0 while there is no room for anything.
    [[nodiscard]] int side() const { return m_side; }
    [[nodiscard]] int tileWidth() const { return m_width; }
    [[nodiscard]] const MapTile& tile() const { return m_tile; }
    [[nodiscard]] std::int64_t cellsPerTile() const { return m_tile.cells(); }
    [[nodiscard]] bool hasTitles() const { return m_title > 0; }
    /// Rows and columns have names beside them.
    [[nodiscard]] bool hasHeads() const { return m_heads; }
    /// Planes are divided into several panels.
    [[nodiscard]] bool splitsPlanes() const { return m_panels.size() > static_cast<std::size_t>(m_shape.planes); }
    /// Around all panels, titles included.
    [[nodiscard]] QRect bounds() const;
    /// Above the panel's rectangle.
    [[nodiscard]] QRect titleRect(const MapPanel& panel) const;
    /// Around all panels of a group, titles included. Groups share a line only where that
    /// holds all panels of each.
    [[nodiscard]] QRect groupRect(std::int64_t group) const;

    [[nodiscard]] std::size_t panelOf(std::int64_t cell) const;
    /// The pixels of the cell's tile.
    [[nodiscard]] QRect rectOf(std::int64_t cell) const;
    /// The cells that share a tile with that one.
    [[nodiscard]] MapBlock blockOf(std::int64_t cell) const;
    /// The first cell of the tile under a point.
    [[nodiscard]] std::optional<std::int64_t> cellAt(QPoint point) const;
    /// The cells of a panel whose tiles `clip` touches; none: an empty block.
    [[nodiscard]] MapBlock within(const MapPanel& panel, const QRect& clip) const;
    /// The cell beside another one, so many columns and rows further; over the edge of a plane into the next one.
    [[nodiscard]] std::int64_t neighbour(std::int64_t cell, std::int64_t columns, std::int64_t rows) const;

private:
    enum class Split : std::uint8_t { Never, AsNeeded };
    [[nodiscard]] bool arrange(const QRect& area, int side, int title, int gap, double widest, Split split);
    [[nodiscard]] bool fitCells(const QRect& area, const MapSizes& sizes, int smallest);
    [[nodiscard]] bool fitSide(const QRect& area, const MapSizes& sizes, int side, Split split);
    [[nodiscard]] bool fitTiles(const QRect& area, const MapSizes& sizes);
    void place(QPoint origin);

    MapShape m_shape;
    std::vector<MapPanel> m_panels;
    int m_side = 0, m_width = 0, m_title = 0, m_gap = 0;
    bool m_heads = false;
    MapTile m_tile;
    std::int64_t m_panelColumns = 1, m_panelRows = 1; ///< cells of a panel that is full
    std::int64_t m_perLine = 1, m_linesOfGroup = 1; ///< panels on a line; lines that a group has for itself
};

} // namespace shardscope

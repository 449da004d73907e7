// SPDX-License-Identifier: GPL-3.0-or-later
// Where cells of a machine or a mesh lie in a map. Geometry and hit test alone.
//
// Cells stand in planes of columns and rows; planes stand side by side. A plane that is too long one way is cut into
// several panels. Where single cells would be smaller than a pixel, a tile stands for a block of them.
//
//     a torus of 4 x 4 x 4 chips: four planes of 4 x 4 beside each other
#pragma once

#include <QRect>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope {

struct FieldShape {
    std::int64_t columns = 1, rows = 1, planes = 1;
    std::int64_t planesPerGroup = 1; ///< those of one slice
    std::int64_t together = 1; ///< columns that touch each other: the cores of a chip

    [[nodiscard]] std::int64_t count() const { return columns * rows * planes; }
    /// Cells count through the columns of a row, the rows of a plane, and the planes.
    [[nodiscard]] std::int64_t cell(std::int64_t plane, std::int64_t row, std::int64_t column) const
    {
        return (plane * rows + row) * columns + column;
    }
    bool operator==(const FieldShape&) const = default;
};

/// A part of a plane, ends exclusive, and the pixels of its tiles.
struct FieldPanel {
    std::int64_t plane = 0, firstRow = 0, endRow = 1, firstColumn = 0, endColumn = 1;
    QRect rect;
    bool operator==(const FieldPanel&) const = default;
};

/// Sizes in pixels that the layout keeps to.
struct FieldSizes {
    int largest = 40; ///< side of a cell
    int title = 16; ///< height of a panel's title, where panels are few
    int gap = 12; ///< between panels
    int titleWidth = 0; ///< narrow panels of small cells have titles where these have room; 0 = never
    double widest = 1; ///< how much wider than high cells with room for names may be; others four times as much
};

class FieldLayout {
public:
    FieldLayout() = default;
    FieldLayout(const FieldShape& shape, const QRect& area, const FieldSizes& sizes);

    [[nodiscard]] const FieldShape& shape() const { return m_shape; }
    [[nodiscard]] const std::vector<FieldPanel>& panels() const { return m_panels; }
    /// Height of a tile; 0 while there is no room for anything.
    [[nodiscard]] int side() const { return m_side; }
    [[nodiscard]] int tileWidth() const { return m_width; }
    /// Cells along the sides of a tile.
    [[nodiscard]] std::int64_t tileColumns() const { return m_tileColumns; }
    [[nodiscard]] std::int64_t tileRows() const { return m_tileRows; }
    [[nodiscard]] std::int64_t cellsPerTile() const { return m_tileColumns * m_tileRows; }
    [[nodiscard]] bool hasTitles() const { return m_title > 0; }
    /// Above the panel's rectangle.
    [[nodiscard]] QRect titleRect(const FieldPanel& panel) const;
    /// Around all panels of a group, titles included. A group has a line to itself, or shares it with whole ones.
    [[nodiscard]] QRect groupRect(std::int64_t group) const;

    [[nodiscard]] std::size_t panelOf(std::int64_t cell) const;
    /// The pixels of the cell's tile.
    [[nodiscard]] QRect rectOf(std::int64_t cell) const;
    /// The first cell of the tile under a point.
    [[nodiscard]] std::optional<std::int64_t> cellAt(QPoint point) const;
    /// The cell beside another one, so many columns and rows further; over the edge of a plane into the next one.
    [[nodiscard]] std::int64_t neighbour(std::int64_t cell, std::int64_t columns, std::int64_t rows) const;

private:
    [[nodiscard]] bool arrange(const QRect& area, int side, int title, int gap, double widest);

    FieldShape m_shape;
    std::vector<FieldPanel> m_panels;
    int m_side = 0, m_width = 0, m_title = 0;
    std::int64_t m_tileColumns = 1, m_tileRows = 1;
    std::int64_t m_panelColumns = 1, m_panelRows = 1; ///< cells of a whole panel
};

} // namespace shardscope

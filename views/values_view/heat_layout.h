// SPDX-License-Identifier: GPL-3.0-or-later
// Where the elements of a heat map lie: geometry and hit test, without a window. The panels are those of a shard grid:
// the array in true proportions with the boundaries of its shards, or one panel for each device that is shown.
#pragma once

#include <QRect>
#include <optional>
#include <vector>

#include "views/shard_grid_view/grid_layout.h"
#include "views/values_view/shown_values.h"

namespace shardscope {

struct HeatElement {
    int panel = 0;
    std::int64_t row = 0, column = 0; ///< as in ShownValues
    bool operator==(const HeatElement&) const = default;
};

class HeatLayout {
public:
    HeatLayout() = default;
    HeatLayout(const ShownValues& shown, QSize area, const GridMargins& margins);

    [[nodiscard]] const std::vector<QRect>& panels() const { return m_grid.panels(); }
    [[nodiscard]] const GridLayout& grid() const { return m_grid; }
    /// Mesh position of what a panel shows, -1 for the global array.
    [[nodiscard]] std::int64_t position(int panel) const;
    /// Elements drawn down and across a panel, padding included.
    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    [[nodiscard]] std::int64_t columns() const { return m_columns; }
    /// Those of them that belong to the array.
    [[nodiscard]] std::int64_t validRows(int panel) const;
    [[nodiscard]] std::int64_t validColumns(int panel) const;

    /// The element at a point, padding included.
    [[nodiscard]] std::optional<HeatElement> elementAt(QPoint point) const;
    [[nodiscard]] bool isPadding(const HeatElement& element) const;
    [[nodiscard]] QRect rectOf(const HeatElement& element) const;
    /// What lies beyond the array's end.
    [[nodiscard]] std::vector<QRect> padding(int panel) const;
    /// Parts that can be pointed at: the blocks of the global array, row by row, or the panels of devices.
    [[nodiscard]] std::int64_t partCount() const;
    [[nodiscard]] QRect partRect(std::int64_t part) const;
    [[nodiscard]] std::int64_t partOf(const HeatElement& element) const;
    [[nodiscard]] std::int64_t partsAcross() const; ///< parts beside each other
    /// The first element of a part.
    [[nodiscard]] HeatElement firstOf(std::int64_t part) const;

private:
    bool m_local = false;
    std::vector<std::int64_t> m_positions, m_validRows, m_validColumns; ///< by panel
    std::int64_t m_rows = 1, m_columns = 1;
    GridLayout m_grid;
};

/// Of `parts` equal parts of [0, length): where one begins, rounded down.
[[nodiscard]] int pixelEdge(int length, std::int64_t index, std::int64_t parts);
/// The part that a pixel lies in, by the same edges.
[[nodiscard]] std::int64_t partAt(int pixel, int length, std::int64_t parts);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>
#include <cstdint>
#include <optional>
#include <vector>

#include "geometry/grid_layout.h"
#include "report/shown_values.h"

namespace shardscope {

struct HeatElement {
    int panel = 0;
    std::int64_t row = 0, column = 0; ///< as in ShownValues
    bool operator==(const HeatElement&) const = default;
};

/// Where the elements of a heat map lie. The panels are those of a shard grid: the array in true proportions with the
/// boundaries of its shards, or one panel for each device that is shown; none of an array without elements.
class HeatLayout {
public:
    HeatLayout() = default;
    HeatLayout(const ShownValues& shown, QSize area, const GridMargins& margins);

    [[nodiscard]] const std::vector<QRect>& panels() const { return m_grid.panels(); }
    [[nodiscard]] const GridLayout& grid() const { return m_grid; }
    /// Mesh position of what a panel shows, -1 for the global array.
    [[nodiscard]] std::int64_t position(int panel) const { return m_positions[static_cast<std::size_t>(panel)]; }
    /// Elements drawn down and across a panel, padding included.
    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    [[nodiscard]] std::int64_t columns() const { return m_columns; }
    /// Those of them that belong to the array.
    [[nodiscard]] std::int64_t validRows(int panel) const { return m_validRows[static_cast<std::size_t>(panel)]; }
    [[nodiscard]] std::int64_t validColumns(int panel) const { return m_validColumns[static_cast<std::size_t>(panel)]; }

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

} // namespace shardscope

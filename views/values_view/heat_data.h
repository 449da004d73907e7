// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a heat map: a point for every element, or for every few pixels of a large array, from a bounded number
// of reads. Colours come later, so that another theme reads nothing anew.
#pragma once

#include <QImage>
#include <QRect>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "report/shown_values.h"
#include "views/shard_grid_view/grid_layout.h"

namespace shardscope {

struct Theme;

struct HeatElement {
    int panel = 0;
    std::int64_t row = 0, column = 0; ///< as in ShownValues
    bool operator==(const HeatElement&) const = default;
};

/// Where the elements of a heat map lie: geometry and hit test, without a window. The panels are those of a shard grid:
/// the array in true proportions with the boundaries of its shards, or one panel for each device that is shown.
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

/// What a point shows of several elements. Whatever is not a number shows in either case, then what is infinite.
enum class HeatReduction : std::uint8_t {
    Largest, ///< the one of largest magnitude, with its sign
    Mean,
};

/// Of elements that were read.
struct HeatSummary {
    double smallest = std::numeric_limits<double>::infinity(); ///< of the finite ones
    double largest = -std::numeric_limits<double>::infinity();
    std::int64_t read = 0;
    std::int64_t notNumbers = 0, infinite = 0, minusInfinite = 0;
    void add(double value);
    void add(const HeatSummary& other);
    [[nodiscard]] bool anyFinite() const { return smallest <= largest; }
    /// The largest finite magnitude.
    [[nodiscard]] double magnitude() const { return anyFinite() ? std::max(std::abs(smallest), std::abs(largest)) : 0; }
};

/// One side of a panel: its points, and the elements that are read for each.
struct HeatAxis {
    std::vector<int> pointOfPixel;
    std::vector<std::int64_t> indices; ///< of all elements read, ascending
    std::vector<std::size_t> firstIndex; ///< of each point, in `indices`, and the end
    std::int64_t elementsPerPoint = 1; ///< at most
    [[nodiscard]] std::size_t points() const { return firstIndex.empty() ? 0 : firstIndex.size() - 1; }
};
/// `pixels` for `extent` elements, of which `valid` belong to the array. A point is an element where there is room for
/// all of them, else `pixelsPerPoint` pixels of which at most `reads` elements are read, evenly spread.
[[nodiscard]] HeatAxis heatAxis(
    int pixels, std::int64_t extent, std::int64_t valid, int pixelsPerPoint, std::int64_t reads);

struct HeatPanel {
    HeatAxis across, down;
    std::vector<double> points; ///< row by row
};

struct HeatData {
    std::vector<HeatPanel> panels;
    std::vector<HeatSummary> parts; ///< by part of the layout; empty where there are very many
    HeatSummary all;
    std::int64_t elements = 0; ///< that are drawn, padding apart
    std::int64_t rowsPerPoint = 1, columnsPerPoint = 1; ///< elements behind one point, at most
    std::int64_t readRowsPerPoint = 1, readColumnsPerPoint = 1; ///< of these read
    [[nodiscard]] bool isComplete() const { return all.read == elements; }
};

/// Elements that are read for one picture, at most.
inline constexpr std::int64_t maxHeatReads = std::int64_t{ 1 } << 20;

/// Nothing while nothing can be read. `ratio`: device pixels per pixel of the layout.
[[nodiscard]] std::optional<HeatData> readHeat(const ShownValues& shown, const HeatLayout& layout,
    const ReadSample& read, HeatReduction reduction, qreal ratio = 1, std::int64_t maxReads = maxHeatReads);

/// The colour of a number: white (black in dark) at 0, blue below, orange above, full at +-scale.
[[nodiscard]] QColor heatColour(const Theme& theme, double value, double scale);
[[nodiscard]] QColor heatPositive(const Theme& theme);
[[nodiscard]] QColor heatNegative(const Theme& theme);
/// A panel in device pixels. NaN has the text's colour; infinities are checks of that and the colour of their sign.
[[nodiscard]] QImage heatImage(const HeatPanel& panel, double scale, const Theme& theme);

} // namespace shardscope

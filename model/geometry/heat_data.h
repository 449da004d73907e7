// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a heat map: a point for every element, or for every few pixels of a large array, from a bounded number
// of reads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "geometry/heat_layout.h"
#include "report/shown_values.h"

namespace shardscope {

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
    double squares = 0; ///< of the finite ones, added up
    void add(double value);
    [[nodiscard]] bool anyFinite() const { return smallest <= largest; }
    /// The largest finite magnitude.
    [[nodiscard]] double magnitude() const { return anyFinite() ? std::max(std::abs(smallest), std::abs(largest)) : 0; }
    [[nodiscard]] std::int64_t finite() const { return read - notNumbers - infinite - minusInfinite; }
    /// Of the finite ones.
    [[nodiscard]] double rootMeanSquare() const
    {
        return finite() > 0 ? std::sqrt(squares / static_cast<double>(finite())) : 0;
    }
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

} // namespace shardscope

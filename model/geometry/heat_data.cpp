// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/heat_data.h"

#include <cmath>

namespace shardscope {

namespace {

constexpr std::int64_t maxParts = 4096;

/// One number for some elements.
class Reducer {
public:
    explicit Reducer(HeatReduction reduction)
        : m_reduction(reduction)
    {
    }
    void add(double value)
    {
        if (std::isnan(value)) {
            m_notNumber = true;
        } else if (std::isinf(value)) {
            m_infinite = value;
        } else if (m_reduction == HeatReduction::Mean) {
            ++m_count;
            m_mean += (value - m_mean) / static_cast<double>(m_count);
        } else if (std::abs(value) > std::abs(m_mean)) {
            m_mean = value;
        }
    }
    [[nodiscard]] double result() const
    {
        if (m_notNumber)
            return std::numeric_limits<double>::quiet_NaN();
        return m_infinite != 0 ? m_infinite : m_mean;
    }

private:
    HeatReduction m_reduction;
    bool m_notNumber = false;
    double m_infinite = 0, m_mean = 0;
    std::int64_t m_count = 0;
};

/// Elements of [0, extent) that pixels [first, end) of `pixels` stand for.
std::pair<std::int64_t, std::int64_t> elementsOf(int first, int end, int pixels, std::int64_t extent)
{
    const auto edge = [&](int pixel) { return (std::int64_t{ pixel } * extent + pixels - 1) / std::max(pixels, 1); };
    return { edge(first), edge(end) };
}

} // namespace

void HeatSummary::add(double value)
{
    ++read;
    if (std::isnan(value)) {
        ++notNumbers;
    } else if (std::isinf(value)) {
        ++(value > 0 ? infinite : minusInfinite);
    } else {
        smallest = std::min(smallest, value);
        largest = std::max(largest, value);
        squares += value * value;
    }
}

HeatAxis heatAxis(int pixels, std::int64_t extent, std::int64_t valid, int pixelsPerPoint, std::int64_t reads)
{
    HeatAxis axis;
    const int points = (pixels + pixelsPerPoint - 1) / pixelsPerPoint;
    if (extent <= points) { // a point is an element
        for (int pixel = 0; pixel < pixels; ++pixel)
            axis.pointOfPixel.push_back(static_cast<int>(partAt(pixel, pixels, extent)));
        for (std::int64_t i = 0; i < extent; ++i) {
            axis.firstIndex.push_back(axis.indices.size());
            if (i < valid)
                axis.indices.push_back(i);
        }
        axis.firstIndex.push_back(axis.indices.size());
        return axis;
    }
    for (int pixel = 0; pixel < pixels; ++pixel)
        axis.pointOfPixel.push_back(pixel / pixelsPerPoint);
    for (int point = 0; point < points; ++point) {
        const auto [first, after] =
            elementsOf(point * pixelsPerPoint, std::min((point + 1) * pixelsPerPoint, pixels), pixels, extent);
        const std::int64_t end = std::min(after, valid), count = std::max<std::int64_t>(end - first, 0);
        const std::int64_t chosen = std::min(count, reads);
        axis.elementsPerPoint = std::max(axis.elementsPerPoint, count);
        axis.firstIndex.push_back(axis.indices.size());
        for (std::int64_t k = 0; k < chosen; ++k)
            axis.indices.push_back(first + (2 * k + 1) * count / (2 * chosen));
    }
    axis.firstIndex.push_back(axis.indices.size());
    return axis;
}

std::optional<HeatData> readHeat(const ShownValues& shown, const HeatLayout& layout, const ReadSample& read,
    HeatReduction reduction, qreal ratio, std::int64_t maxReads)
{
    HeatData data;
    if (layout.panels().empty())
        return data;
    const auto panelCount = static_cast<std::int64_t>(layout.panels().size());
    const QSize size(std::max(1, qRound(layout.panels().front().width() * ratio)),
        std::max(1, qRound(layout.panels().front().height() * ratio)));
    // As fine as the reads allow: single pixels with several reads each, or fewer points.
    const std::int64_t budget = std::max<std::int64_t>(maxReads / panelCount, 1);
    const auto cost = [&](int pixelsPerPoint, std::int64_t reads) {
        const auto side = [&](int pixels, std::int64_t extent) {
            const std::int64_t points = (pixels + pixelsPerPoint - 1) / pixelsPerPoint;
            return std::min(extent, points * reads);
        };
        return side(size.width(), layout.columns()) * side(size.height(), layout.rows());
    };
    int pixelsPerPoint = 1;
    while (cost(pixelsPerPoint, 1) > budget)
        ++pixelsPerPoint;
    std::int64_t reads = 1;
    const std::int64_t longest = std::max(layout.rows(), layout.columns());
    while (reads < longest && cost(pixelsPerPoint, reads + 1) <= budget)
        ++reads;

    const bool byPart = layout.partCount() <= maxParts;
    if (byPart)
        data.parts.resize(static_cast<std::size_t>(layout.partCount()));
    std::vector<double> numbers;
    for (int p = 0; p < static_cast<int>(panelCount); ++p) {
        HeatPanel& panel = data.panels.emplace_back();
        const std::int64_t rows = layout.validRows(p), columns = layout.validColumns(p);
        panel.down = heatAxis(size.height(), layout.rows(), rows, pixelsPerPoint, reads);
        panel.across = heatAxis(size.width(), layout.columns(), rows > 0 ? columns : 0, pixelsPerPoint, reads);
        data.elements += rows * columns;
        data.rowsPerPoint = std::max(data.rowsPerPoint, panel.down.elementsPerPoint);
        data.columnsPerPoint = std::max(data.columnsPerPoint, panel.across.elementsPerPoint);
        data.readRowsPerPoint = std::min(data.rowsPerPoint, reads);
        data.readColumnsPerPoint = std::min(data.columnsPerPoint, reads);
        const std::size_t width = panel.across.points(), height = panel.down.points();
        panel.points.assign(width * height, 0);
        if (panel.down.indices.empty() || panel.across.indices.empty())
            continue;
        if (!readPlane(shown, read, layout.position(p), panel.down.indices, panel.across.indices, numbers))
            return std::nullopt;
        const std::size_t stride = panel.across.indices.size();
        for (std::size_t y = 0; y < height; ++y)
            for (std::size_t x = 0; x < width; ++x) {
                Reducer reducer(reduction);
                for (std::size_t row = panel.down.firstIndex[y]; row < panel.down.firstIndex[y + 1]; ++row)
                    for (std::size_t c = panel.across.firstIndex[x]; c < panel.across.firstIndex[x + 1]; ++c)
                        reducer.add(numbers[row * stride + c]);
                panel.points[y * width + x] = reducer.result();
            }
        for (std::size_t row = 0; row < panel.down.indices.size(); ++row)
            for (std::size_t c = 0; c < stride; ++c) {
                const double value = numbers[row * stride + c];
                data.all.add(value);
                if (byPart)
                    data.parts[static_cast<std::size_t>(
                                   layout.partOf({ p, panel.down.indices[row], panel.across.indices[c] }))]
                        .add(value);
            }
    }
    return data;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/heat_data.h"

#include <cmath>

#include "views/theme/theme.h"

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
    }
}

void HeatSummary::add(const HeatSummary& other)
{
    read += other.read;
    notNumbers += other.notNumbers;
    infinite += other.infinite;
    minusInfinite += other.minusInfinite;
    smallest = std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
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

QColor heatPositive(const Theme& theme)
{
    return theme.meshAxes[1];
}
QColor heatNegative(const Theme& theme)
{
    return theme.meshAxes[0];
}

QColor heatColour(const Theme& theme, double value, double scale)
{
    const double share = scale > 0 ? std::min(std::abs(value) / scale, 1.0) : 0;
    return mixed(theme.base, value < 0 ? heatNegative(theme) : heatPositive(theme), share);
}

QImage heatImage(const HeatPanel& panel, double scale, const Theme& theme)
{
    const int width = static_cast<int>(panel.across.pointOfPixel.size());
    const int height = static_cast<int>(panel.down.pointOfPixel.size());
    QImage image(width, height, QImage::Format_RGB32);
    constexpr int steps = 255; // on either side of 0
    std::vector<QRgb> colours;
    for (int i = -steps; i <= steps; ++i)
        colours.push_back(heatColour(theme, i, steps).rgb());
    const QRgb text = theme.text.rgb(), above = heatPositive(theme).rgb(), below = heatNegative(theme).rgb();
    const std::size_t points = panel.across.points();
    for (int y = 0; y < height; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const double* const row = panel.points.data()
            + static_cast<std::size_t>(panel.down.pointOfPixel[static_cast<std::size_t>(y)]) * points;
        for (int x = 0; x < width; ++x) {
            const double value = row[panel.across.pointOfPixel[static_cast<std::size_t>(x)]];
            if (std::isnan(value)) {
                line[x] = text;
            } else if (std::isinf(value)) {
                line[x] = ((x / 2 + y / 2) % 2 != 0) ? text : value > 0 ? above : below;
            } else {
                const double share = scale > 0 ? std::clamp(value / scale, -1.0, 1.0) : 0;
                line[x] = colours[static_cast<std::size_t>(std::lround(share * steps) + steps)];
            }
        }
    }
    return image;
}

namespace {

/// Shards of several devices as one array that is sharded along its first dimension: a panel for each of them.
Layout panelsOf(std::size_t devices, std::int64_t rows, std::int64_t columns)
{
    const auto count = static_cast<std::int64_t>(devices);
    auto mesh = std::make_shared<const Mesh>(Mesh::create({ { "device", count } }).value());
    TensorSharding sharding = TensorSharding::fullyReplicated(3);
    if (count > 1)
        sharding.dims[0].axes = { AxisRef{ 0, 1, static_cast<std::int32_t>(count) } };
    return { std::move(mesh), std::move(sharding), Shape{ count, rows, columns } };
}

} // namespace

HeatLayout::HeatLayout(const ShownValues& shown, QSize area, const GridMargins& margins)
    : m_local(shown.local)
{
    const Layout& layout = shown.subject.layout;
    if (m_local) {
        m_positions = shown.positions;
        m_rows = shown.rowCount();
        m_columns = shown.columnCount();
        if (!m_positions.empty())
            m_grid = GridLayout(panelsOf(m_positions.size(), m_rows, m_columns), { 1, 2 }, area, margins);
        m_positions.resize(panels().size());
    } else {
        GridLayout::Choice choice{ shown.rows, shown.columns };
        choice.others.assign(shown.rank(), GridPlace::Slider);
        for (std::size_t d = 0; d < shown.rank(); ++d)
            choice.slides.push_back(shown.index[d] / std::max<std::int64_t>(layout.shardShape()[d], 1));
        m_grid = GridLayout(layout, choice, area, margins);
        m_positions.assign(panels().size(), -1);
        m_rows = m_grid.rows().extent();
        m_columns = m_grid.columns().extent();
    }
    for (const std::int64_t position : m_positions) {
        m_validRows.push_back(shown.validRows(position));
        m_validColumns.push_back(shown.validColumns(position));
    }
}
std::optional<HeatElement> HeatLayout::elementAt(QPoint point) const
{
    if (m_rows == 0 || m_columns == 0)
        return std::nullopt;
    for (int panel = 0; panel < static_cast<int>(panels().size()); ++panel) {
        const QRect& rect = panels()[static_cast<std::size_t>(panel)];
        if (rect.contains(point))
            return HeatElement{ panel, partAt(point.y() - rect.top(), rect.height(), m_rows),
                partAt(point.x() - rect.left(), rect.width(), m_columns) };
    }
    return std::nullopt;
}

bool HeatLayout::isPadding(const HeatElement& element) const
{
    return element.row >= validRows(element.panel) || element.column >= validColumns(element.panel);
}

QRect HeatLayout::rectOf(const HeatElement& element) const
{
    const QRect& rect = panels()[static_cast<std::size_t>(element.panel)];
    const auto edge = [](int start, int length, std::int64_t index, std::int64_t parts) {
        return start + pixelEdge(length, index, parts);
    };
    const QPoint first(edge(rect.left(), rect.width(), element.column, m_columns),
        edge(rect.top(), rect.height(), element.row, m_rows));
    const QPoint after(edge(rect.left(), rect.width(), element.column + 1, m_columns),
        edge(rect.top(), rect.height(), element.row + 1, m_rows));
    return QRect(first, after - QPoint(1, 1)).united(QRect(first, QSize(1, 1)));
}

std::vector<QRect> HeatLayout::padding(int panel) const
{
    const QRect& rect = panels()[static_cast<std::size_t>(panel)];
    if (!m_local)
        return m_grid.padding(rect);
    std::vector<QRect> parts;
    const int right = rect.left() + pixelEdge(rect.width(), validColumns(panel), m_columns);
    const int bottom = rect.top() + pixelEdge(rect.height(), validRows(panel), m_rows);
    if (validColumns(panel) < m_columns)
        parts.emplace_back(QPoint(right, rect.top()), rect.bottomRight());
    if (validRows(panel) < m_rows)
        parts.emplace_back(QPoint(rect.left(), bottom), rect.bottomRight());
    return parts;
}

std::int64_t HeatLayout::partsAcross() const
{
    if (!m_local)
        return m_grid.columns().blocks();
    std::int64_t across = 0;
    for (const QRect& panel : panels())
        across += panel.top() == panels().front().top();
    return std::max<std::int64_t>(across, 1);
}

std::int64_t HeatLayout::partCount() const
{
    if (m_local)
        return static_cast<std::int64_t>(panels().size());
    return panels().empty() ? 0 : m_grid.rows().blocks() * m_grid.columns().blocks();
}

QRect HeatLayout::partRect(std::int64_t part) const
{
    if (m_local)
        return panels()[static_cast<std::size_t>(part)];
    return m_grid.cellRect({ 0, part / partsAcross(), part % partsAcross() });
}

std::int64_t HeatLayout::partOf(const HeatElement& element) const
{
    if (m_local)
        return element.panel;
    return element.row / std::max<std::int64_t>(m_grid.rows().block, 1) * partsAcross()
        + element.column / std::max<std::int64_t>(m_grid.columns().block, 1);
}

HeatElement HeatLayout::firstOf(std::int64_t part) const
{
    if (m_local)
        return { static_cast<int>(part), 0, 0 };
    return { 0, part / partsAcross() * m_grid.rows().block, part % partsAcross() * m_grid.columns().block };
}

} // namespace shardscope

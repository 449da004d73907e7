// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/memory_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "geometry/index_at.h"
#include "program/types.h"

namespace shardscope {

namespace {

constexpr int narrowest = 3;
constexpr int roomForBreak = 52;

std::int64_t sumOf(const std::vector<std::int64_t>& bytes)
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{ 0 }, saturatingSum);
}

/// Widths that fill `width` pixels exactly, which is room for all at their narrowest: those of a smaller share are
/// `narrowest` pixels wide, and the others share in proportion what these leave.
std::vector<int> shares(const std::vector<std::int64_t>& bytes, int width)
{
    double total = 0, room = width; // bytes and pixels of those that are not at their narrowest
    for (const std::int64_t b : bytes)
        total += static_cast<double>(b);
    std::vector<int> widths(bytes.size(), 0);
    for (bool again = true; std::exchange(again, false);)
        for (std::size_t i = 0; i < bytes.size(); ++i)
            if (const auto own = static_cast<double>(bytes[i]); widths[i] == 0 && own / total * room < narrowest) {
                widths[i] = narrowest;
                total -= own;
                room -= narrowest;
                again = true;
            }
    double before = 0;
    int begin = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (widths[i] == 0) {
            before += static_cast<double>(bytes[i]);
            const int end = static_cast<int>(std::lround(before / total * room));
            widths[i] = end - std::exchange(begin, end);
        }
    return widths;
}

} // namespace

MemoryBar MemoryBar::make(
    const std::array<std::int64_t, ownerCount>& bytes, std::int64_t limit, const QRect& area, std::int64_t before)
{
    MemoryBar bar;
    bar.area = area;
    std::vector<std::int64_t> held;
    for (std::size_t i = 0; i < ownerCount; ++i) {
        if (bytes[i] <= 0)
            continue;
        held.push_back(bytes[i]);
        bar.segments.push_back({ static_cast<Owner>(i), bytes[i], {} });
    }
    const std::int64_t total = sumOf(held), most = std::max(total, before);
    int room = area.width(); // of `scale` bytes
    std::int64_t scale = std::max<std::int64_t>(most, 1);
    const auto length = [&](std::int64_t of) {
        return static_cast<int>(std::lround(static_cast<double>(of) / static_cast<double>(scale) * room));
    };
    if (limit > 0) {
        bar.overLimit = total > limit;
        bar.broken = limit / 4 > most;
        bar.limitX = area.left() + area.width() - 2;
        if (bar.broken) {
            room = std::max(narrowest, area.width() - roomForBreak);
            bar.breakX = area.left() + room + (area.width() - room) / 2;
        } else if (most > limit) {
            bar.limitX = area.left() + length(limit);
        } else {
            scale = limit;
            room = area.width() - 2;
        }
    }
    if (held.empty())
        return bar;
    const int width = length(total);
    if (before > 0 && before != total)
        bar.beforeX = area.left() + length(before);
    const std::vector<int> widths = shares(held, std::max(width, narrowest * static_cast<int>(held.size())));
    int x = area.left();
    for (std::size_t i = 0; i < held.size(); ++i) {
        bar.segments[i].rect = QRect(x, area.top(), widths[i], area.height());
        x += widths[i];
    }
    return bar;
}

QRect MemoryBar::labelRect(const Segment& segment, int margin) const
{
    QRect part = segment.rect;
    // The line is two pixels wide.
    if (overLimit && limitX >= part.left() && limitX <= part.right()) {
        if (limitX - part.left() >= part.right() - limitX - 1)
            part.setRight(limitX - 1);
        else
            part.setLeft(limitX + 2);
    }
    return part.adjusted(margin, 0, -margin, 0);
}

int MemoryBar::segmentAt(const QPoint& point) const
{
    return indexAt(segments, point, &Segment::rect);
}

LiveLine LiveLine::make(const MemorySummary& memory, const QRect& plot, std::int64_t limit)
{
    LiveLine line;
    line.plot = plot;
    line.instructions = memory.live.size();
    if (memory.live.empty())
        return line;
    const std::int64_t highest = *std::max_element(memory.live.begin(), memory.live.end());
    line.showsLimit = limit > 0 && highest / 2 >= limit / 3;
    const std::int64_t shown = line.showsLimit ? std::max(highest, limit) : highest;
    line.top = std::max<std::int64_t>(1, saturatingSum(shown, shown / 8));
    const std::size_t count = memory.live.size();
    const auto x = [&](std::size_t part, std::size_t parts) {
        return plot.left() + plot.width() * static_cast<qreal>(part) / static_cast<qreal>(parts);
    };
    const auto add = [&](qreal left, qreal right, std::int64_t bytes) {
        line.corners.emplace_back(left, line.y(bytes));
        line.corners.emplace_back(right, line.y(bytes));
    };
    if (const auto peak = static_cast<std::size_t>(memory.peakInstruction); memory.peakInstruction >= 0 && peak < count)
        line.peak = { x(peak, count), line.y(memory.live[peak]) };
    const std::size_t columns = 2 * static_cast<std::size_t>(std::max(plot.width(), 1));
    if (count <= 2 * columns) {
        for (std::size_t i = 0; i < count; ++i)
            add(x(i, count), x(i + 1, count), memory.live[i]);
        return line;
    }
    for (std::size_t column = 0; column < columns; ++column) {
        const auto at = [&](std::size_t part) {
            return memory.live.begin() + static_cast<std::ptrdiff_t>(part * count / columns);
        };
        const auto [least, most] = std::minmax_element(at(column), at(column + 1));
        const qreal middle = x(2 * column + 1, 2 * columns);
        add(x(column, columns), middle, *std::min(least, most));
        add(middle, x(column + 1, columns), *std::max(least, most));
    }
    return line;
}

qreal LiveLine::y(std::int64_t bytes) const
{
    return plot.top() + plot.height() * (1.0 - static_cast<double>(bytes) / static_cast<double>(top));
}

qreal LiveLine::middleOf(int instruction) const
{
    return plot.left()
        + plot.width() * (instruction + 0.5) / static_cast<double>(std::max<std::size_t>(instructions, 1));
}

QRectF LiveLine::overPeak(const QSizeF& text, qreal gap) const
{
    const qreal middle = peak.x() + plot.width() / 2.0 / static_cast<double>(std::max<std::size_t>(instructions, 1));
    const qreal left = std::min(middle - text.width() / 2, plot.left() + plot.width() - text.width());
    return { QPointF(std::max<qreal>(left, plot.left()), peak.y() - gap - text.height()), text };
}

int LiveLine::instructionAt(const QPoint& point) const
{
    if (!plot.contains(point) || instructions == 0)
        return -1;
    const auto index = static_cast<std::int64_t>(point.x() - plot.left()) * static_cast<std::int64_t>(instructions)
        / std::max(1, plot.width());
    return static_cast<int>(std::clamp<std::int64_t>(index, 0, static_cast<std::int64_t>(instructions) - 1));
}

} // namespace shardscope

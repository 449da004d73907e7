// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of the memory view, without a window: the bar of one device class, its legend, and the line of live bytes.
#pragma once

#include <QPoint>
#include <QRect>
#include <QString>
#include <array>
#include <cstdint>
#include <vector>

#include "geometry/flow_layout.h"
#include "pipeline/snapshot.h"
#include "schedule/plan.h"

namespace shardscope {

/// Bytes by owner as one bar, in proportion but for owners that would be narrower than 3 px. The scale ends at the
/// limit, unless the limit is more than four times away: then the larger of the bar and of what was held before takes
/// nearly all the width, and the axis is broken before the limit.
struct MemoryBar {
    struct Segment {
        Owner owner = Owner::Parameters;
        std::int64_t bytes = 0;
        QRect rect; ///< in pixels; at least 3 wide, so that nothing that is there is invisible
    };
    QRect area;
    std::vector<Segment> segments; ///< owners that hold something, in their order
    bool broken = false;
    bool overLimit = false;
    int breakX = 0; ///< where "//" stands, when broken
    int limitX = -1; ///< of the limit line; -1 = no limit known
    int beforeX = -1; ///< where the bar ended before the last edit, on the same scale; -1 = as now, or not known

    /// `before`: bytes that were held before the last edit, 0 = not known. 16 of 32 MiB before are half a bar, 64 a bar
    /// with the end of before in its middle.
    static MemoryBar make(const std::array<std::int64_t, ownerCount>& bytes, std::int64_t limit, const QRect& area,
        std::int64_t before = 0);
    /// Where the words of a segment stand, `margin` free on both sides: the wider part of it where the limit
    /// lies in it.
    [[nodiscard]] QRect labelRect(const Segment& segment, int margin) const;
    /// Index into segments, -1 if there is none.
    [[nodiscard]] int segmentAt(const QPoint& point) const;
};

/// Bytes live while each instruction runs, as a step line. Of instructions of which many lie in half a pixel, the least
/// and the most bytes of each half are drawn, in their order.
struct LiveLine {
    QRect plot;
    std::int64_t top = 1; ///< bytes at the upper edge
    std::vector<QPointF> corners; ///< of the line, left to right
    QPointF peak; ///< left end of the highest step
    std::size_t instructions = 0;
    bool showsLimit = false; ///< the highest step comes near the limit, or is above it

    static LiveLine make(const MemorySummary& memory, const QRect& plot, std::int64_t limit = 0);
    [[nodiscard]] qreal y(std::int64_t bytes) const;
    [[nodiscard]] qreal middleOf(int instruction) const; ///< x
    /// Where a text of that size stands above the middle of the highest step, `gap` over it.
    [[nodiscard]] QRectF overPeak(const QSizeF& text, qreal gap) const;
    [[nodiscard]] int instructionAt(const QPoint& point) const; ///< -1 outside
};

} // namespace shardscope

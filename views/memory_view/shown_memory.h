// SPDX-License-Identifier: GPL-3.0-or-later
// What the memory view draws: that of a step, as its plan has it.
#pragma once

#include <QPoint>
#include <QRect>
#include <QString>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/planned_memory.h"
#include "pipeline/snapshot.h"
#include "schedule/plan.h"
#include "views/panel/flow_layout.h"

namespace shardscope {

// Geometry of the memory view, without a window: the bar of one device class, its legend, and the line of live bytes.

/// Bytes by owner as one bar. The scale ends at the limit, unless the limit is more than four times away: then the
/// larger of the bar and of what was held before takes nearly all the width, and the axis is broken before the limit.
struct MemoryBar {
    struct Segment {
        Owner owner = Owner::Parameters;
        std::int64_t bytes = 0;
        QRect rect; ///< at least 3 px wide, so that nothing that is there is invisible
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
    /// Where the words of a segment stand, `margin` free on both sides: the wider part of it where the limit cuts it.
    [[nodiscard]] QRect labelRect(const Segment& segment, int margin) const;
    /// Index into segments, -1 if there is none.
    [[nodiscard]] int segmentAt(const QPoint& point) const;
};

/// Where in its owner's segment a tensor lies: tensors stand in their order of display.
struct MemorySlice {
    Owner owner = Owner::Parameters;
    double begin = 0, end = 0; ///< shares of the owner's bytes
};
/// Bytes live while each instruction runs, as a step line. Of instructions of which many lie in half a pixel, the least
/// and the most bytes of each half are drawn, in their order.
struct LiveLine {
    QRect plot;
    std::int64_t top = 1; ///< bytes at the upper edge
    std::vector<QPointF> corners; ///< of the line, left to right
    QPointF peak; ///< left end of the highest step
    std::size_t instructions = 0;

    static LiveLine make(const MemorySummary& memory, const QRect& plot);
    [[nodiscard]] qreal y(std::int64_t bytes) const;
    /// The lowest point of the line (largest y) over an interval: text below it touches nothing.
    [[nodiscard]] qreal lowest(qreal left, qreal right) const;
    [[nodiscard]] int instructionAt(const QPoint& point) const; ///< -1 outside
};

struct ShownMemory {
    SnapshotPtr snapshot;
    std::shared_ptr<const PlannedMemory> planned = nullptr; ///< of the snapshot's plan

    /// Null where there is nothing to draw.
    [[nodiscard]] const MemorySummary* memory() const { return planned ? &planned->memory : nullptr; }
    [[nodiscard]] std::array<std::int64_t, ownerCount> atPeak() const; ///< bytes
    [[nodiscard]] QString ownerName(Owner owner) const; ///< "parameters"; of state as its optimizer calls it
    struct Biggest {
        QString name, path; ///< `path` is empty for what has no row
        std::int64_t bytes = 0;
    };
    /// Of all arrays of that owner; without a name where there is none.
    [[nodiscard]] Biggest biggest(Owner owner) const;
    /// Bytes of an owner that are no arguments of the step: at the peak new values are held beside the old ones.
    [[nodiscard]] std::int64_t newValues(Owner owner) const;
    [[nodiscard]] MemorySlice sliceOf(const TensorRow& row) const;

    [[nodiscard]] std::size_t instructions() const { return planned ? planned->moments.size() : 0; }
    /// What it computes: a path of the snapshot's program, or "".
    [[nodiscard]] std::string pathAt(std::size_t instruction) const;
    /// The name of its operation; "" for a copy.
    [[nodiscard]] QString operationAt(std::size_t instruction) const;
    /// "at instruction 58 of 170, dot_general, for Layer 3 / W1's gradient"
    [[nodiscard]] QString peakWords() const;
    /// Arrays of one name, which the largest of them orders.
    struct Named {
        QString name;
        std::int64_t bytes = 0; ///< of the largest one
        std::size_t count = 0;
        bool equal = true; ///< all of them have as many bytes
    };
    [[nodiscard]] std::vector<Named> named() const;
    /// Of so many names: "Largest: w 4 MiB; multiply 16 KiB × 2; and 3 more"
    [[nodiscard]] static QString largest(const std::vector<Named>& names, std::size_t most);
};

} // namespace shardscope

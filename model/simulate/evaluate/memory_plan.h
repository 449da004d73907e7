// SPDX-License-Identifier: GPL-3.0-or-later
// What one device needs of memory to execute a program, worked out before anything is taken: every value lives from the
// operation that computes it to the last one that reads it. Values that are others seen in another shape, or handed
// through, take nothing of their own.
//
//     %1 = add %x, %x     x, 1            2 arrays
//     %2 = reshape %1     x, 1 = 2        2 arrays: the same elements
//     %3 = negate %2      2, 3            3 arrays with x, which is an argument of main and read once more
//     %4 = add %3, %x
#pragma once

#include <vector>

#include "program/program.h"

namespace shardscope::evaluate {

class Lifetimes;

/// Bytes of one device.
struct MemoryPlan {
    double values = 0; ///< of arguments and values at the peak between two operations
    /// Just computed at that moment, inside of loops and functions too; invalid: the arguments alone.
    OperationId peakOperation;
    double working = 0; ///< at most, with what an operation needs for itself while it computes
    /// Which of several regions runs is known by a run alone: `values` holds for the one with the highest peak.
    bool dependsOnData = false;
    struct Moment {
        OperationId operation; ///< of the region that was asked for
        double values = 0; ///< the most while it is computed, its results included
    };
    std::vector<Moment> moments; ///< one per operation, in order
};

/// `devices` is the number that step through the program together: with one, its collectives hand values through.
[[nodiscard]] MemoryPlan planMemory(
    const Program& program, RegionId body, std::int64_t devices, const Lifetimes& lifetimes);
[[nodiscard]] MemoryPlan planMemory(const Program& program, std::int64_t devices); ///< of main

} // namespace shardscope::evaluate

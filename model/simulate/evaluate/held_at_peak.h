// SPDX-License-Identifier: GPL-3.0-or-later
// Which arrays one device holds at the peak of a program: what MemoryPlan::values is the sum of.
//
//     %1 = add %x, %x; %2 = reshape %1; %3 = negate %2; %4 = add %3, %x     (each 16 B)
//     ->  { {x}, 16 }, { {1, 2}, 16 }, { {3}, 16 }: at the negation, where 1 and 2 are the same array
#pragma once

#include <vector>

#include "program/program.h"

namespace shardscope::evaluate {

struct HeldArray {
    std::vector<ValueId> values; ///< all of them this array, ascending
    double bytes = 0;
};

/// The largest first; those of the same size as their values come. `devices` as of planMemory().
[[nodiscard]] std::vector<HeldArray> heldAtPeak(const Program& program, std::int64_t devices);

} // namespace shardscope::evaluate

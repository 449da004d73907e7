// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which the instructions of a block are executed, so that devices meet seldom. What needs nothing of a
// meeting goes before it, and meetings that need nothing of each other follow each other:
//
//     all_gather w1, dot x w1, all_gather w2, dot y w2        (y from the first product)
//     all_gather w1, all_gather w2, dot x w1, dot y w2
//
// A device does what stands between two meetings in one go, with what it works on in its caches; exchanges within a
// cluster (clusters.h) are no meetings. All bits are those of the order of the plan, since nothing is moved across what
// touches the same memory.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/plan.h"

namespace shardscope {

/// Instructions of a block that are executed in one place: one of them, or several that are done together.
struct Turn {
    std::uint32_t place = 0; ///< number of an instruction
    bool isMeeting = false; ///< of devices; otherwise each does it on its own, or those of a cluster do
    SmallVector<std::uint32_t, 4> instructions;
    std::int32_t round = 0; ///< meetings of one round follow each other and may be held together
};

/// Brings them, given in the order of the plan, into the order of execution: round by round, what devices do on their
/// own before their meetings.
void meetSeldom(const Plan& plan, std::uint32_t block, std::vector<Turn>& turns);

} // namespace shardscope

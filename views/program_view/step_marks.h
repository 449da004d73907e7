// SPDX-License-Identifier: GPL-3.0-or-later
// A step of propagation as the program's graph shows it: which axes arrive at which values, and where they come from.
#pragma once

#include <compare>
#include <vector>

#include "pipeline/snapshot.h"
#include "propagation/replay.h"
#include "words/words.h"

namespace shardscope {

struct CarriedAxis {
    ValueId from; ///< invalid: given, or declared
    ValueId to;
    int axis = 0; ///< of the mesh
    auto operator<=>(const CarriedAxis&) const = default;
};
struct StepArrival {
    ValueId value;
    AxisRef axis;
    auto operator<=>(const StepArrival&) const = default;
};

struct StepMarks {
    OperationId operation; ///< by whose rule; invalid for what was given and for declared results
    std::vector<CarriedAxis> moves; ///< each once
    std::vector<StepArrival> arrivals; ///< each once

    static StepMarks of(const Replay& replay, std::uint32_t step);
};

/// What happens in the step; of step 0 what was given.
[[nodiscard]] words::Text stepSentence(const Snapshot& snapshot, const Replay& replay, std::uint32_t step);

} // namespace shardscope

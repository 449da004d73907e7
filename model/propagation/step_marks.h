// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in a step of propagation: which axes arrive at which values, and where they come from.
#pragma once

#include <compare>
#include <vector>

#include "propagation/replay.h"

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

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// In what the copies of a repeated part differ from the part that they are like. Their operations and their wiring do
// not: that is what makes them copies. How values are sharded may: by annotations, by constraints, and in the end.
#pragma once

#include <vector>

#include "program/outline/program_outline.h"
#include "propagation/propagate.h"

namespace shardscope {

struct RepeatDifference {
    int part = -1; ///< the copy: a child of the repeated part
    std::vector<ValueId> values; ///< of the copy, that are sharded otherwise: what it makes and what it is given
};

/// In program order; copies that do not differ are left out. `result` is null where nothing was propagated: what is
/// written counts alone then.
[[nodiscard]] std::vector<RepeatDifference> differencesOf(
    const Program& program, const ProgramOutline& outline, const PropagationResult* result, int repeat);

} // namespace shardscope

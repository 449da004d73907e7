// SPDX-License-Identifier: GPL-3.0-or-later
// Which arrays of a train state are moments, by what becomes of them.
//
//     m' = 0.9 m + g;  p' = p - 0.1 m';  loss = f(p, batch)
//     m is a moment of p: the new p is computed from m, the loss from p and not from m
#pragma once

#include <optional>
#include <vector>

#include "program/contraction_parts.h"
#include "program/element_updates.h"
#include "program/program.h"
#include "program/step_state.h"

namespace shardscope {

/// Per argument of main: mu or nu if it is such an array, of which the new value of a floating-point array of the same
/// shape is computed. It is nu where a root is taken of what is computed from it, else mu. In a step without a loss
/// those that go into contractions (`parts`) stand for those that the loss depends on.
[[nodiscard]] std::vector<std::optional<Role>> momentsByUse(
    const Program& program, const StepState& state, ElementUpdates& updates, const std::vector<ContractionPart>& parts);

} // namespace shardscope

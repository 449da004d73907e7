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

/// Per argument of main: whether the loss depends on it. In a step without a loss: whether it goes into contractions
/// (`parts`).
[[nodiscard]] std::vector<bool> usedByModel(
    const Program& program, const StepState& state, ElementUpdates& updates, const std::vector<ContractionPart>& parts);

/// Per argument of main: mu or nu if it is an array of the state that the model does not use (`isOfModel`), and from
/// which the new value of a floating-point array of the same shape is computed that the model does use. It is nu where
/// a root is taken of what is computed from it, else mu. Empty where there are none.
[[nodiscard]] std::vector<std::optional<Role>> momentsByUse(
    const Program& program, const StepState& state, const std::vector<bool>& isOfModel);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Which arrays of a train state are moments, by what becomes of them.
//
//     m' = 0.9 m + g;  p' = p - 0.1 m';  loss = f(p, batch)
//     m is a moment of p: the new p is computed from m and p, the loss from p and not from m
#pragma once

#include <optional>
#include <vector>

#include "program/element_updates.h"
#include "program/program.h"
#include "program/step_state.h"

namespace shardscope {

/// Per argument of main: whether a loss depends on it (program/step_state.h, possibleLosses()), or on a copy of it in
/// another format that every step makes anew, as of master weights. Empty without a loss.
[[nodiscard]] std::vector<bool> usedByLosses(const Program& program, const StepState& state, ElementUpdates& updates);

/// Per argument of main: mu or nu if it is an array of the state that is not `used`, and from which, element by
/// element, the new value of a floating-point array of its shape is computed that is used and updated. It is nu where a
/// root is taken on the way, else mu. Empty where there are none.
[[nodiscard]] std::vector<std::optional<Role>> momentsByUse(
    const Program& program, const StepState& state, ElementUpdates& updates, const std::vector<bool>& used);

} // namespace shardscope

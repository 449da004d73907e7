// SPDX-License-Identifier: GPL-3.0-or-later
// Which values of a train step are the gradients of its parameters, found by what becomes of the parameters.
//
//     g = dot_general(...)
//     mu' = 0.9 mu + 0.1 g;  nu' = 0.999 nu + 0.001 g g;  p' = p - 0.001 mu' / (sqrt(nu') + 1e-8)
//     p' is worked out element by element from p, mu, nu and one more array of its shape: g
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace shardscope {

struct StepState;

/// Per argument of the state whose role is parameter, in the order of the state: the last value through which all that
/// its update needs of the rest of the program goes. An update that needs nothing else, or takes its array as a result
/// of the program, has none. No value stands in the list twice.
[[nodiscard]] std::vector<ValueId> gradientsOf(
    const Program& program, const StepState& state, std::span<const Role> roles);

} // namespace shardscope

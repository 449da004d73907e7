// SPDX-License-Identifier: GPL-3.0-or-later
// The program that makes the state of a network, as an initializer under jit with out_shardings does: every array of
// the state is a result, in the sharding that it has in a step. Elements are drawn one by one from a key and their own
// indices (networks/random_bits.h), so that every device makes those of its shard, and none ever holds more.
//
//     step:  main(step, params/W, opt/count, opt/mu/W, x) -> ...
//     initializer of it:  main(key: u32[2]) -> (step, params/W, opt/count, opt/mu/W)
//
// What normal arrays are: sqrt(2) erf_inv(u) of uniform numbers u between -1 and 1, 2^-23 apart, in f32 (in f64
// for arrays of that type), times the deviation. Indices count modulo 2^32.
#pragma once

#include <span>

#include "program/initial_value.h"
#include "program/program.h"

namespace shardscope {

/// Of the arguments of main that are no inputs, in their order. `initial`: what they begin with, by their paths; of
/// several that fit the last counts. Other parameters are normal, with the variance 2 / (fan_in + fan_out) of their
/// last two dimensions, the rest zeros; master weights are their parameter before it is rounded. Errors:
/// InvalidAttribute for what is not made by a formula: files, and what depends on uses.
[[nodiscard]] Result<Program> initializerOf(const Program& step, std::span<const ChosenInitial> initial);

} // namespace shardscope

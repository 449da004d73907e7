// SPDX-License-Identifier: GPL-3.0-or-later
// The difference of two states of a run, array by array: what the devices hold of it after one number of steps less
// what they held after another. Every device subtracts the shards that it holds, so that a difference is sharded as its
// array is, and nothing is sent.
//
//     HeldState before = heldState(run, state); // at the start
//     run.step();
//     const auto difference = stateDifference(*plan->program, state, heldState(run, state), std::move(before));
//     difference[0].full // of the first array: [0.5, 0.25] after the step less [1, 0.25] before it is [-0.5, 0]
#pragma once

#include <cstdint>
#include <vector>

#include "program/step_state.h"
#include "simulate/run/run.h"

namespace shardscope {

struct HeldState {
    std::int64_t steps = 0; ///< that have been taken
    std::vector<kernels::Arrays> arrays; ///< per pair of the state, by device id; empty for what is no array
};

/// Copies of what the devices hold of the arguments of a state at this moment, before the first step as well.
[[nodiscard]] HeldState heldState(const Run& run, const StepState& state);

struct ArrayDifference {
    std::size_t argument = 0; ///< number among those of main
    kernels::Arrays shards; ///< by device id; padding is zero
    kernels::Array full; ///< of the array's own type
    double largest = 0; ///< magnitude of the finite elements
    double norm = 0; ///< root of the sum of their squares
    std::int64_t changed = 0; ///< elements that are not 0, NaN included
};

/// Of each pair of the state that is an array, `later` less `earlier`. Rounded to the array's type; integers wrap
/// around, and a truth value is true where it changed; figures of complex numbers are those of their magnitudes.
[[nodiscard]] std::vector<ArrayDifference> stateDifference(
    const FlatProgram& program, const StepState& state, const HeldState& later, const HeldState& earlier);

/// Bytes of both states and their difference, over all devices and in full.
[[nodiscard]] double differenceBytes(const FlatProgram& program, const StepState& state);

} // namespace shardscope

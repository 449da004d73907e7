// SPDX-License-Identifier: GPL-3.0-or-later
// The type rules of JAX's explicit mode (program/explicit_mode.h) by operation: what an operation of a program gives,
// or why it is refused.
//
//     broadcast_in_dim x [8] sharded [x] to [4, 8], dims = [1]   -> sharded [-, x]
//     pad x [8] sharded [x], low = [1]                           -> PaddedSharded
//     scatter into x                                             -> nothing: no rule is stated for it
#pragma once

#include <optional>
#include <span>

#include "program/explicit_mode.h"
#include "program/program.h"

namespace shardscope {

/// What all results of the operation get. `operands` has one entry per operand, closed; `wanted` is the sharding that
/// the program gives for the result, null for none: it counts where JAX's operation takes an out_sharding. Nothing
/// where no rule is stated, and for what hands on or changes shardings itself: constraints, reshards, collectives,
/// loops, branches, calls and other computations with bodies.
[[nodiscard]] std::optional<ExplicitOutcome> explicitRule(const Program& program, const Operation& operation,
    std::span<const ExplicitArray> operands, const TensorSharding* wanted = nullptr);

/// Closed, without priorities and without axes that may not shard: the type that an array has in explicit mode.
[[nodiscard]] TensorSharding explicitType(const TensorSharding& sharding);

} // namespace shardscope

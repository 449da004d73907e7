// SPDX-License-Identifier: GPL-3.0-or-later
// One propagation step on a projection: axes move along the factors of one operation. Two strategies resolve conflicts.
//
// Basic: an axis moves along a factor only if every tensor of the operation can take it, and then all of them do.
// Aggressive: each tensor takes as much as it can for itself; factors compete in a fixed order of importance.
//
//     C[i,j] = A[i,k] B[k,j], A [{a}, {}], B [{}, {a}]: both i and j want a.
//     basic       C [{}, {}]: C would need a twice, so neither moves
//     aggressive  C [{a}, {}] when A is at least as large as B: factor i comes first, j is sharded
#pragma once

#include <cstdint>
#include <span>

#include "propagation/projection.h"

namespace shardscope {

/// Along a factor: from operands to results, the other way, both or not at all. A set of two bits.
enum class Direction : std::uint8_t { None = 0, Forward = 1, Backward = 2, Both = 3 };

/// What a step has to know beside the projection.
struct StepContext {
    const FactorRule& rule;
    std::span<const Direction> directions; ///< per factor
    bool elementwise = false; ///< operands move nothing sideways that the result cannot follow
    const Mesh* fullAxesOnly = nullptr; ///< conservative: only full axes of that mesh move, no parts of them
};

/// Tensors whose projection has changed, ascending.
struct UpdatedTensors {
    SmallVector<std::uint32_t, 4> operands;
    SmallVector<std::uint32_t, 2> results;
    [[nodiscard]] bool empty() const { return operands.empty() && results.empty(); }
};

[[nodiscard]] UpdatedTensors propagateBasic(ShardingProjection& projection, const StepContext& context);
[[nodiscard]] UpdatedTensors propagateAggressive(ShardingProjection& projection, const StepContext& context);

} // namespace shardscope

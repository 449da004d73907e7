// SPDX-License-Identifier: GPL-3.0-or-later
// Why propagation did not shard a dimension along an axis: the place nearest to a tensor that has the axis where it
// could not go on.
//
//     b = add(a, c) with a: [{x,?}], c: [{}] (closed), strategy basic. Why is b not sharded along x?
//     Blocker { operation add, reason Closed, axis x, tensor 1 (operand c), source 0 (operand a) }
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "propagation/propagate.h"

namespace shardscope {

enum class BlockReason : std::uint8_t {
    Replicated, ///< the tensor is to be replicated over the axis
    Unreduced, ///< the tensor holds partial values over the axis
    Closed, ///< the dimension is closed
    UsedByFactor, ///< the tensor uses the axis already, along `otherFactor`
    Divisibility, ///< the axis does not divide the rest of its factor, and a minor factor of the dimension follows
    Overflow, ///< the dimension has axes that do not fit into its factors; no more can be added
    Blocked, ///< the rule of the operation blocks propagation along this factor
    Direction, ///< the operation propagates only the other way (forward or backward), or not at all
    MeshMismatch, ///< the tensors are on different meshes, or one is on a single device
    MinorFactorNotFull, ///< a more major factor of the dimension, `otherFactor`, is not sharded into single elements
    FrozenBy, ///< the tensor has other axes in this position
    NoRule, ///< the operation has no factor rule: which dimensions correspond is not known
    Summed ///< the axis shards an operand's dimension that the operation sums over, so the value holds the sums
};

/// Tensors and factors are those of the operation's factor rule; tensors are numbered operands first, then results.
struct Blocker {
    OperationId
        operation; ///< for a data-flow edge that operation, or the one with the bodies; invalid at main's results
    std::int32_t result = -1; ///< of main, where `operation` is invalid
    BlockReason reason = BlockReason::Closed;
    AxisRef axis; ///< the axis that was blocked: the one asked for, or one that had to come before it
    std::int16_t factor = -1; ///< the factor along which the axis would have propagated
    std::int16_t otherFactor = -1; ///< of UsedByFactor and MinorFactorNotFull
    std::int16_t tensor = -1; ///< the tensor that blocks it
    ValueId value; ///< that tensor's value; invalid for the declared sharding of a result
    std::int16_t source = -1; ///< the tensor that has the axis
    ValueId from; ///< that tensor's value
    bool operator==(const Blocker&) const = default;
};

/// Why dimension `dimension` of `value` is not sharded along `axis`: what blocks the way from the nearest tensor that
/// has the axis and is connected with the dimension, by factors or through an operation without a rule. Nothing where
/// the dimension has the axis, or no connected tensor has it. Judged by the final shardings, with every operation
/// allowed to propagate.
[[nodiscard]] std::optional<Blocker> firstBlocker(
    const PropagationInput& input, const PropagationResult& result, ValueId value, std::size_t dimension, AxisRef axis);

/// An axis that a dimension does not have.
struct AbsentFrom {
    std::size_t dimension = 0;
    AxisRef axis;
};
/// The same for several dimensions and axes of one value, in their order.
[[nodiscard]] std::vector<std::optional<Blocker>> firstBlockers(
    const PropagationInput& input, const PropagationResult& result, ValueId value, std::span<const AbsentFrom> absent);

} // namespace shardscope

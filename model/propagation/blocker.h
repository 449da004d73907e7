// SPDX-License-Identifier: GPL-3.0-or-later
// Why an axis is not there: the first place, from where it is, at which it could not go on.
//
//     b = add(a, c), a [{x,?}], c [{}], basic: x does not come to b, because c is closed: operation add, operand 1.
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
    Divisibility, ///< the axis does not divide what is left of a factor that others stand after
    Overflow, ///< more axes than the factor takes stand there already
    Blocked, ///< nothing moves along this factor
    Direction, ///< the operation lets axes through only the other way, or not at all
    MeshMismatch, ///< the tensors are sharded over different meshes, or one lies on a single device
    MinorFactorNotFull, ///< the factor in front of it, in the same dimension, is not sharded to the end
    FrozenBy, ///< the tensor has other axes in this place
    NoRule, ///< the operation has no factor rule: of no dimension is it known where it goes
    Summed ///< it shards a dimension of an operand that the operation sums over: the value holds the sums
};

struct Blocker {
    OperationId operation; ///< of an edge: its own or the one with the bodies; invalid at a result of main
    std::int32_t result = -1; ///< of main, where the operation is invalid
    BlockReason reason = BlockReason::Closed;
    AxisRef axis; ///< that was held up: the one asked for, or one in front of it
    std::int16_t factor = -1; ///< along which it would have gone
    std::int16_t otherFactor = -1;
    std::int16_t tensor = -1; ///< that holds it up; operands count first, then results
    ValueId value; ///< that tensor; invalid for a declared result
    std::int16_t source = -1; ///< that has the axis
    ValueId from;
    bool operator==(const Blocker&) const = default;
};

/// Nothing if the dimension has the axis, or if no tensor that it is connected with has it: along factors, or at the
/// other side of an operation without a rule. The nearest tensor with the axis counts. Read from the shardings at the
/// end, when everything may move.
[[nodiscard]] std::optional<Blocker> firstBlocker(
    const PropagationInput& input, const PropagationResult& result, ValueId value, std::size_t dimension, AxisRef axis);

/// An axis that a dimension does not have.
struct AbsentFrom {
    std::size_t dimension = 0;
    AxisRef axis;
};
/// The same for several of one value, in their order.
[[nodiscard]] std::vector<std::optional<Blocker>> firstBlockers(
    const PropagationInput& input, const PropagationResult& result, ValueId value, std::span<const AbsentFrom> absent);

} // namespace shardscope

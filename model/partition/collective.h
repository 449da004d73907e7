// SPDX-License-Identifier: GPL-3.0-or-later
// An exchange between devices, and the bytes that the ring model counts for it.
//
//     all_gather of 128 bytes on each of 4 devices: ringBytes(CollectiveKind::AllGather, 4, 128)    384, per device
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "program/program.h"

namespace shardscope {

enum class CollectiveKind : std::uint8_t {
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    CollectivePermute,
    CollectiveBroadcast, ///< the first of a group has what all get; only where a program has it itself
    AllSlice,
};

/// An exchange between the devices of a group, or a slice without exchange (AllSlice). What it moves follows from
/// the layouts of operand and result: every device ends up with the index ranges that the result's layout gives it, and
/// all that it lacks is held by members of its group. AllReduce adds up element by element in the order of the group.
struct Collective {
    CollectiveKind kind = CollectiveKind::AllReduce;
    ReduceKind reduction = ReduceKind::Sum; ///< AllReduce, ReduceScatter
    /// AllReduce: the axes added up. CollectivePermute: the axes along which data moves. In mesh order.
    AxisList axes;
    /// AllGather, AllSlice, ReduceScatter: the axes gathered from or cut off each dimension, major first. A
    /// ReduceScatter adds up over all of them.
    std::vector<AxisList> perDimension;
    std::int32_t sourceDimension = -1, targetDimension = -1; ///< AllToAll
    AxisList moved; ///< AllToAll: the axes that change dimension
    Rational sentBytes; ///< per device, ring model
};

/// Per value: whether it is a scalar from which the loss is computed by scalar operations alone, the loss included.
[[nodiscard]] std::vector<bool> scalarsOfLoss(const Program& program);
/// Sum of sentBytes per device and step, without the scalar loss, and the scalar loss alone.
struct SentBytes {
    Rational step;
    Rational scalarLoss;
};
/// Ring model: bytes one device sends for a collective over groups of `groupSize`, from the local input bytes.
[[nodiscard]] Rational ringBytes(CollectiveKind kind, std::int64_t groupSize, std::int64_t localInputBytes);
/// Mesh axes that a collective runs over, in mesh order.
[[nodiscard]] AxisList axesOf(const Collective& collective);
/// "all_reduce"
[[nodiscard]] std::string_view name(CollectiveKind kind);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The per-device program: what one device executes, with local shapes and named collectives.
//
// It stands beside the Program and never renumbers it: the first values are the program's own (same ids), followed by
// the ones that partitioning adds. Every added operation carries its origin, a program value, and the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "partition/reason.h"
#include "program/program.h"
#include "sharding/layout.h"

namespace shardscope {

using DeviceValueId = Id<struct DeviceValueTag>;
using DeviceOpId = Id<struct DeviceOpTag>;

enum class CollectiveKind : std::uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll, CollectivePermute, AllSlice };

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

/// A value as one device holds it. The first ones are the program's, in the form that users see; the others are forms
/// of them: partial sums (`sharding.unreduced` names the axes still to be added up) and resharded copies. Axes of size
/// 1 do not occur in `sharding`. A value whose operation is made where it is needed (constants, iota, broadcast
/// scalars) may have several forms, or no operation at all when nobody needs it.
struct DeviceValue {
    ValueId origin; ///< the program value that it is a form of
    TensorType localType; ///< shape of the largest shard; smaller shards are padded at the end
    TensorSharding sharding;
};

struct DeviceOp {
    /// Compute: the program's operation on local shards. Collective: an exchange.
    std::variant<OperationId, Collective> action;
    SmallVector<DeviceValueId, 4> operands;
    SmallVector<DeviceValueId, 2> results;
    std::optional<Reason> reason; ///< for what partitioning added
    ValueId origin; ///< the value that it works for

    [[nodiscard]] const Collective* collective() const { return std::get_if<Collective>(&action); }
};

struct DeviceProgram {
    ProgramPtr program;
    MeshPtr mesh;
    std::vector<DeviceValue> values; ///< [0, program->values.size()) are the program's
    std::vector<DeviceOp> ops; ///< in order of execution
    std::vector<DeviceValueId> results; ///< what main returns, per result

    [[nodiscard]] const DeviceValue& value(DeviceValueId id) const { return values[id.index]; }
    [[nodiscard]] Layout layout(DeviceValueId id) const;
};

/// One line of the communication summary.
struct CollectiveUse {
    DeviceOpId op;
    CollectiveKind kind = CollectiveKind::AllReduce;
    AxisList axes;
    Rational sentBytes;
    bool scalarLoss = false; ///< listed apart, so that reports can leave it out
};
[[nodiscard]] std::vector<CollectiveUse> collectives(const DeviceProgram& program);
/// Sum of sentBytes per device and step, without the scalar loss, and the scalar loss alone.
struct SentBytes {
    Rational step;
    Rational scalarLoss;
};
[[nodiscard]] SentBytes sentBytes(const DeviceProgram& program);
/// Ring model: bytes one device sends for a collective over groups of `groupSize`, from the local input bytes.
[[nodiscard]] Rational ringBytes(CollectiveKind kind, std::int64_t groupSize, std::int64_t localInputBytes);
/// Mesh axes that a collective runs over, in mesh order.
[[nodiscard]] AxisList axesOf(const Collective& collective);
/// "all_reduce"
[[nodiscard]] std::string_view name(CollectiveKind kind);

} // namespace shardscope

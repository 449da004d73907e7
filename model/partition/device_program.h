// SPDX-License-Identifier: GPL-3.0-or-later
// The per-device program: what one device executes, with local shapes and named collectives.
//
// It stands beside the Program and never renumbers it: the first values are the program's own (same ids), followed by
// the ones that partitioning adds. Every added operation carries its origin, a program value, and the reason.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "partition/collective.h"
#include "partition/reason.h"
#include "program/program.h"
#include "sharding/layout.h"

namespace shardscope {

using DeviceValueId = Id<struct DeviceValueTag>;
using DeviceOpId = Id<struct DeviceOpTag>;

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
[[nodiscard]] SentBytes sentBytes(const DeviceProgram& program);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Where operations with bodies hand values on. A data-flow edge ties the values that flow in (its sources) to those in
// which they come out (its owner and further targets); all targets share one sharding.
//
//     %r = while(%i) cond { ^(%c) ... } body { ^(%b) ... return %y }
//     edge of %r: sources %i, %y; owner %r, further targets %c, %b
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"
#include "propagation/sharding_table.h"

namespace shardscope {

/// The axes that a manual computation has taken over, in the sharding of one value at its boundary. Inside the body the
/// value is known without them.
struct ManualView {
    std::uint32_t mesh = 0; ///< index
    std::uint64_t axes = 0; ///< bit per mesh axis
    std::vector<AxisList> dims; ///< manual axes that shard each dimension; they are the major ones
    AxisList replicated; ///< all others
    bool inside = false; ///< the edge's own sharding is the one without
};

/// A manual axis that shards no dimension counts as replicated.
[[nodiscard]] ManualView manualView(
    const ProgramSharding& boundary, const std::vector<std::string>& manualAxes, const MeshTable& meshes);
[[nodiscard]] TensorSharding withoutManualAxes(TensorSharding sharding, const ManualView& view);
[[nodiscard]] TensorSharding withManualAxes(TensorSharding sharding, const ManualView& view);

struct DataFlowEdge {
    OperationId operation; ///< the operation with the bodies
    ValueId owner;
    bool ofArgument = false; ///< the owner is an argument of the body, not a result
    SmallVector<ValueId, 4> sources;
    SmallVector<ValueId, 2> targets; ///< beside the owner
    std::int32_t view = -1; ///< index into what `views` has become; -1 = none
};

/// Can have a data-flow edge: a tensor whose sizes are known.
[[nodiscard]] bool isStaticTensor(const TensorType& type);
/// The edges of one operation: those of arguments, then those of results, each in order. None for other operations.
[[nodiscard]] std::vector<DataFlowEdge> dataFlowEdges(
    const Program& program, OperationId id, const MeshTable& meshes, std::vector<ManualView>& views);

} // namespace shardscope

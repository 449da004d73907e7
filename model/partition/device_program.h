// SPDX-License-Identifier: GPL-3.0-or-later
// The per-device program of a program in the wide IR: StableHLO over local shapes, with collectives over device ids.
//
//     mesh {x=2}; main(a: 8x4 sharded [{x}, {}]) returns the sum of all of a
//     ->  main(a: 4x4): reduce a; all_reduce over the groups [[0, 1]]
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "partition/true_shapes.h"
#include "program/device_counts.h"

namespace shardscope {

/// What main takes or returns: the full array, and how it lies on the devices.
struct ShardedArray {
    TensorType type; ///< global, without padding
    TensorSharding sharding; ///< over `mesh`, or over DeviceProgram::mesh
    ReduceKind unreducedKind = ReduceKind::Sum; ///< how parts over its unreduced axes are put together
    MeshPtr
        mesh = {}; ///< set where the devices stand in another order than in DeviceProgram::mesh; the axes are the same
    [[nodiscard]] const MeshPtr& over(const MeshPtr& main) const { return mesh ? mesh : main; }
};

struct DeviceProgram {
    Program program; ///< what every device runs; no shardings, no operations of Shardy
    MeshPtr mesh;
    std::int64_t replicas = 1; ///< that the devices make up; all others are partitions of a replica
    std::vector<ShardedArray> inputs, outputs; ///< of main
    /// Per operation that was made for a collective of Shardy: that operation. By the id of the first, ascending.
    std::vector<std::pair<OperationId, OperationId>> origins;
    /// Of values of `program` whose shards end in padding, on some device or all.
    std::unordered_map<ValueId, PaddedShard> padding;
};

/// Local shapes for every value, collectives of Shardy as those of StableHLO: replica groups are device ids, the mesh
/// axes stand beside them as the attribute "shardscope.axes". A slice of a replicated array is a dynamic slice at
/// offsets that the device looks up by its partition_id. Manual computations become part of what is around them. Takes
/// a program whose operations agree with their shardings: after legalizeForDevices(), explicit reshards, and reshards
/// as collectives. What becomes parts of a sum is put among zeros, without a message. Errors: NotExecutable for an
/// operation that cannot be done on shards (a reshard between meshes, what becomes parts of a greatest value),
/// UnreducedAxes for a full result that is said to be parts, MissingMesh for a program without a mesh. `trueShapes`: of
/// values that are padded.
[[nodiscard]] Result<DeviceProgram> localize(const Program& program, const TrueShapes& trueShapes = {});

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh over which a program was partitioned that is what every device runs (device_counts.h).
//
//     module attributes {mhlo.num_partitions = 8}                 axis_0 2 x axis_1 4: groups along the second axis
//       all_reduce, replica_groups [[0,1,2,3], [4,5,6,7]]
//     the same with shardscope.mesh = "data=2,model=4"            data 2 x model 4
//     and shardscope.device_order = "0,1,2,3,6,7,4,5"             with these devices, in rows
#pragma once

#include <optional>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// Attributes by which `partition` says of what its text was made: of the module the mesh, and the order of its devices
/// where that is not plain; and of an argument the sharding of the array that it is a shard of, in Shardy's form.
inline constexpr const char* meshLabel = "shardscope.mesh";
inline constexpr const char* orderLabel = "shardscope.device_order";
inline constexpr const char* shardingLabel = "shardscope.sharding";

/// Whether it is what each of several partitions runs: it addresses the others by their numbers (device_counts.h), or
/// says of which mesh it is. Programs of replicas are not: JAX's pmap shards nothing.
[[nodiscard]] bool isPartitioned(const Program& program);

/// Of such a program: the stated mesh where the groups of all collectives are axes of it or parts of axes, or else the
/// one of the fewest axes, in rows, of which they are axes; groups that fit no such mesh are left aside. It has as many
/// devices as the module counts.
[[nodiscard]] Mesh explainingMesh(const Program& program);

/// Per argument of main, over that mesh: how the array is sharded that it is a shard of; nothing where the text does
/// not say it.
[[nodiscard]] std::vector<std::optional<TensorSharding>> statedParts(const Program& program, const Mesh& mesh);
/// Warnings of such attributes that do not count: a mesh that does not go with the program, or, where it does,
/// shardings that are none of the argument's. ShardingIgnored {op, attribute, label}.
[[nodiscard]] std::vector<Diagnostic> unusedLabels(
    const Program& program, const Mesh& mesh, const std::vector<std::optional<TensorSharding>>& parts);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Over which mesh axes the values of a per-device program differ, as far as the program shows it: the replication check
// of shard_map and of manual computations.
//
// An argument that is sharded along axes varies over them. A sum over all devices along an axis is the same on all of
// them, so all_reduce drops the axes of its groups; every other collective keeps them and adds its own, and what asks
// for the device's place varies along it. Everything else varies over the axes of its operands, in regions as well.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mesh/mesh.h"
#include "program/other_attributes.h"
#include "program/program.h"

namespace shardscope {

using AxisSet = std::uint32_t; ///< bit i: axis i of the mesh
[[nodiscard]] constexpr bool contains(AxisSet set, std::size_t axis)
{
    return (set >> axis & 1U) != 0;
}
/// In the order of the mesh.
[[nodiscard]] AxisList axesIn(AxisSet set, const Mesh& mesh);

struct VaryingAxes {
    std::vector<AxisSet> values; ///< by ValueId; 0 for values of other regions
    /// The argument, or the value behind a collective, from which a value has an axis.
    [[nodiscard]] ValueId origin(const Program& program, ValueId value, std::size_t axis) const;
};

/// The axes along which the members of groups differ, and whether each group is all devices along these.
struct GroupAxes {
    AxisSet axes = 0;
    bool full = true;
    /// Other axes along which groups are not alike: [0, 1], [2, 3], [4, 6], [5, 7] over data=2, model=4 are other
    /// devices along model at data 1 than at data 0. What is the same along data differs along it afterwards.
    AxisSet unlike = 0;
};
/// Of a collective of StableHLO. To a sum the order within a group is all the same.
[[nodiscard]] GroupAxes axesOfGroups(const CollectiveAttributes& own, const Mesh& mesh, OpKind kind);

/// `arguments`: one set per argument of the region, which is executed on all devices of the mesh.
[[nodiscard]] VaryingAxes varyingAxes(
    const Program& program, RegionId region, const Mesh& mesh, std::span<const AxisSet> arguments);
/// The same beside what is known of other regions; `varying` has a set for each value.
void addVaryingAxes(VaryingAxes& varying, const Program& program, RegionId region, const Mesh& mesh,
    std::span<const AxisSet> arguments);

/// The mesh of a manual computation, its manual axes, and those of them along which its body's arguments differ. Null
/// for another operation, and for one without arguments and results.
struct ManualBody {
    const Mesh* mesh = nullptr;
    AxisSet manual = 0;
    std::vector<AxisSet> arguments;
};
[[nodiscard]] std::optional<ManualBody> manualBody(const Program& program, const Operation& operation);

/// Results whose shards are said to be the same along axes over which they vary: of every manual computation of the
/// program. ReplicationUnproven {result, axes (list), origin or argument}, with the place in the text: a warning, since
/// a program may know more of its values than can be seen (JAX's check_vma=False).
[[nodiscard]] std::vector<Diagnostic> checkReplication(const Program& program);

/// One result: `mentioned` are the axes that shard it. Errors: ReplicationNotInferred, with the same arguments.
[[nodiscard]] Result<void> checkReplication(const Program& program, const VaryingAxes& varying, const Mesh& mesh,
    ValueId value, AxisSet mentioned, std::size_t result);

} // namespace shardscope

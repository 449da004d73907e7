// SPDX-License-Identifier: GPL-3.0-or-later
// A program's shardings over another mesh: what a person changes by hand while the program's text stays.
//
//     mesh {data=2, model=4}, W [{model}, {}]; over {model=8}: W [{model}, {}] of 8 shards
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// What a program says of a mesh. Axes: arrays are sharded along some of its axes, some are manual, or devices exchange
/// along them.
enum class MeshUse : std::uint8_t { Unused, Named, Axes };
/// Per mesh of the program.
[[nodiscard]] std::vector<MeshUse> meshUses(const Program& program);

/// The mesh that a program is laid out over: the first along whose axes something is sharded; else the first that a
/// sharding names; else the first that is declared. Meshes of a single device and those without axes do not count.
/// Nothing if there is none.
[[nodiscard]] std::optional<std::uint32_t> mainMesh(const Program& program);

/// The mesh with the axes of `main` in their order, over the devices that `other` has at the same coordinates. Null
/// where the two do not have the same axes.
///
///     main {x=2, y=2} over 0 1 2 3, other {y=2, x=2} over 0 1 2 3  ->  {x=2, y=2} over 0 2 1 3
[[nodiscard]] MeshPtr inAxisOrderOf(const Mesh& main, const Mesh& other);

/// The same program with `mesh` in place of its main mesh and of all others that have the same axes. Axes are found by
/// their names; full axes stay full, parts stay as they are written. An axis that `mesh` lacks, or a part that does
/// not divide it, becomes an InvalidAxis (program/program_mesh.h), which verifyShardings() reports at its place. A
/// program without a mesh gets this one.
[[nodiscard]] Program overMesh(const Program& program, MeshPtr mesh);
/// With others in place of some of its meshes: per mesh, null where it stays.
[[nodiscard]] Program overMeshes(Program program, const std::vector<MeshPtr>& to);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes of programs as a text has them, right or wrong, and references to their axes.
//
//     ProgramMesh mesh = declaredMesh("mesh", { { "x", 8 }, { "y", 2 } });
//     AxisRef part = axisReference(mesh, "x", SubAxis{ 2, 4 }); // x:(2)4
//     AxisRef z = axisReference(mesh, "z");                     // no such axis: z.axis == 2, mesh.invalidAxes[0] is
//     "z"
//
// Whoever reads a program makes meshes and references by these functions and refuses nothing; verifyShardings() says
// what is illegal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// A part of an axis as it is written: "(pre)size".
struct SubAxis {
    std::int64_t pre = 1, size = 1;
};

/// `deviceIds` are those that the text lists. One that cannot be a mesh is kept in ProgramMesh::illegal: axis names
/// that occur twice, sizes below 1, more than maximumDevices, ids that are no permutation of 0 .. n-1 or that are just
/// 0 .. n-1, more than one id without axes.
[[nodiscard]] ProgramMesh declaredMesh(std::string name, std::vector<MeshAxis> axes,
    std::optional<std::vector<std::int64_t>> deviceIds = {}, bool inlined = false);
/// A mesh that a sharding names and that nothing declares. Every reference to its axes is an InvalidAxis.
[[nodiscard]] ProgramMesh undeclaredMesh(std::string name);

/// A reference to the axis of that name, or to a sub-axis of it. What AxisRef cannot hold is added to
/// mesh.invalidAxes, unless it is there already.
[[nodiscard]] AxisRef axisReference(ProgramMesh& mesh, std::string_view name, std::optional<SubAxis> part = {});
/// What `ref` means where the mesh has no such axis or sub-axis; null where it has.
[[nodiscard]] const InvalidAxis* invalidAxis(const ProgramMesh& mesh, AxisRef ref);
/// "x", "x:(2)4"; an invalid axis as the text has it.
[[nodiscard]] std::string axisText(const ProgramMesh& mesh, AxisRef ref);

} // namespace shardscope

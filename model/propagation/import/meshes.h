// SPDX-License-Identifier: GPL-3.0-or-later
// Meshes: inline ones become declared ones, axes of size 1 leave the shardings.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Identical meshes become the first of them; those that stand inside shardings become declared ones, named
/// maximal_mesh_<device>, empty_mesh, or the first free of mesh, mesh_0, mesh_1, ...
[[nodiscard]] Program liftInlinedMeshes(Program program);
/// Takes axes of size 1 out of every sharding; not out of meshes and lists of manual axes.
[[nodiscard]] Program removeSizeOneAxes(Program program);

} // namespace shardscope::passes

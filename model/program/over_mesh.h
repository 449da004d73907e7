// SPDX-License-Identifier: GPL-3.0-or-later
// A program's shardings over another mesh: what a person changes by hand while the program's text stays.
//
//     mesh {data=2, model=4}, W [{model}, {}]; over {model=8}: W [{model}, {}] of 8 pieces
#pragma once

#include <optional>

#include "program/program.h"

namespace shardscope {

/// The mesh that a program is laid out over: the first that it declares or uses, without those of a single device and
/// those without axes. Nothing if there is none.
[[nodiscard]] std::optional<std::uint32_t> mainMesh(const Program& program);

/// The same program with `mesh` in place of its main mesh and of all others that have the same axes. Axes are found by
/// their names; whole axes stay whole, parts stay as they are written. An axis that `mesh` lacks, or a part that does
/// not divide it, becomes a stray (program/program_mesh.h), which verifyShardings() reports at its place. A program
/// without a mesh gets this one.
[[nodiscard]] Program overMesh(const Program& program, MeshPtr mesh);

} // namespace shardscope

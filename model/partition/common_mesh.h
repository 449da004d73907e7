// SPDX-License-Identifier: GPL-3.0-or-later
// One set of devices for a program that speaks of several meshes.
#pragma once

#include "program/program.h"

namespace shardscope {

/// The program with all its meshes over the axes of the main one (mainMesh()), in their order: a mesh of the same axes
/// in another order becomes one of another order of devices, and what names a mesh without being sharded along it names
/// the main one. Of programs without parts of axes of size 1. Error: MeshMismatch {found, expected, found_axes,
/// expected_axes} where arrays are sharded along the axes of two meshes that are not the same axes.
///
///     @a = <["x"=2, "y"=4]>, @b = <["y"=4, "x"=2]>  ->  @b = <["x"=2, "y"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
[[nodiscard]] Result<Program> overCommonAxes(Program program);

/// Error: NotExecutable {op, wrong: "single_device", mesh, device} for an operation that is to run on one device of
/// several.
[[nodiscard]] Result<void> checkSingleDevices(const Program& program);

} // namespace shardscope

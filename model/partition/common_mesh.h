// SPDX-License-Identifier: GPL-3.0-or-later
// One set of devices for a program that speaks of several meshes.
#pragma once

#include "program/program.h"

namespace shardscope {

/// The program with all its meshes over the axes of the main one (mainMesh()), in their order: a mesh over the same
/// devices becomes one of these axes, with its devices in another order where its own axes ask for it; what is sharded
/// along them is written along parts of the common ones (inAxesOf()). What names a mesh without being sharded along it
/// names the main one. Of programs without parts of axes of size 1. Error: MeshMismatch {found, expected, found_axes,
/// expected_axes, found_devices, expected_devices, value} where arrays are sharded along the axes of a mesh over other
/// devices, along a part of an axis that these axes do not divide into, or where a manual axis is a part of one.
///
///     @a = <["x"=2, "y"=4]>, @b = <["y"=4, "x"=2]>  ->  @b = <["x"=2, "y"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>
///     @a = <["x"=2, "y"=4]>, <@b = <["d"=8]>, [{"d"}]>  ->  <@a, [{"x", "y"}]>
[[nodiscard]] Result<Program> overCommonAxes(Program program);

/// Error: NotExecutable {op, wrong: "single_device", mesh, device} for an operation that is to run on one device of
/// several.
[[nodiscard]] Result<void> checkSingleDevices(const Program& program);

} // namespace shardscope

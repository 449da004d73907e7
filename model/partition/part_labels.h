// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes by which the text of what every device runs says what it was partitioned from (program/explaining_mesh.h).
#pragma once

#include "partition/device_program.h"

namespace shardscope {

/// Gives `program`, which has the arguments of `device`, its mesh and per argument the sharding of the array that it is
/// a shard of. Where that could not be read back, since devices are not in plain order, or an axis has a name that cannot
/// be typed: one axis, "device", and no shardings.
void labelParts(Program& program, const DeviceProgram& device);

} // namespace shardscope

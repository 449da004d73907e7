// SPDX-License-Identifier: GPL-3.0-or-later
// The per-device program of a built-in network as a program of StableHLO: it can be printed, read and run.
#pragma once

#include "partition/device_program.h"
#include "partition/spmd_program.h"

namespace shardscope {

/// Every device's program with the same operations and exchanges in the same order: local shapes, collectives over
/// device ids. Values have the paths of the network; what partitioning added has none. Errors: NotExecutable for an
/// exchange between uneven shards that no collective of StableHLO makes; those of localize().
[[nodiscard]] Result<SpmdProgram> deviceModule(const DeviceProgram& device);

} // namespace shardscope

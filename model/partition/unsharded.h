// SPDX-License-Identifier: GPL-3.0-or-later
// A program computed in full on every device, as though nothing were sharded: the reference of what its devices
// compute, and what a text without a mesh means.
//
//     %r = all_gather %x           %x and %r are full arrays, and the same
//     %y = manual_computation %x   runs on the devices of its mesh; each of them holds %x and %y in full
#pragma once

#include "partition/partition_program.h"

namespace shardscope {

/// On one device, or on those that it needs: of the mesh of its manual computations, and of a run_parallel. A program
/// that speaks to devices by their numbers runs on `devices`. Values and operations of the program keep their
/// ids. Errors: those of partitionProgram() for manual computations.
[[nodiscard]] Result<PartitionedProgram> unsharded(Program program, const DeviceCounts& devices = {});

} // namespace shardscope

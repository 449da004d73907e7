// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a partitioned program that plans are made of: values of the program as users see them, with partial sums
// and resharded copies after them.
//
//     %1 = dot %x, %W        : partial over {m}         value 1 of the program is what all_reduce gives; what the dot
//     %2 = all_reduce {m} %1                            gives is a further form of it
#pragma once

#include "partition/device_program.h"
#include "partition/partition_program.h"

namespace shardscope {

/// `sharded` is what became of `program`; `held`: per value of the program the sharding in which users see it. Errors:
/// NotExecutable where padding is needed, which plans do not know.
[[nodiscard]] Result<DeviceProgram> deviceProgramOf(
    ProgramPtr program, MeshPtr mesh, const ShardedProgram& sharded, std::vector<TensorSharding> held);

} // namespace shardscope

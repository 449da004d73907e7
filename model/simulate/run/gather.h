// SPDX-License-Identifier: GPL-3.0-or-later
// What all devices hold of a value, put together and compared.
#pragma once

#include <optional>
#include <vector>

#include "simulate/run/device_memory.h"
#include "simulate/run/run.h"

namespace shardscope {

/// How a value of main lies on its devices.
[[nodiscard]] ShardedArray formOf(const FlatProgram& program, FlatValueId value);
/// The global array that stands in a slot in the form of `how`, row-major: of every shard the first holder's copy,
/// partial values added up.
[[nodiscard]] std::vector<double> gathered(
    const FlatProgram& program, const DeviceMemory& memory, SlotId slot, const ShardedArray& how);
/// The first place at which copies of a shard differ; nothing if all are bitwise equal.
[[nodiscard]] std::optional<ReplicaDifference> differenceOfCopies(
    const FlatProgram& program, const DeviceMemory& memory, SlotId slot, const ShardedArray& how);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// A program whose arguments lie on the host, with the moves between memories as operations of its own: what JAX writes
// for parameters in pinned_host, where the program computes on devices.
//
//     main(%w) -> (%w1), %w and %w1 in pinned_host     %1 = multiply %w, %0; %w1 = subtract %w, %1
// becomes
//     main(%w {mhlo.memory_kind = "pinned_host"}) -> (... {mhlo.memory_kind = "pinned_host"})
//       %d = custom_call @annotate_device_placement(%w) {_xla_buffer_placement = "device"}         // device(w)
//       %1 = multiply %d, %0
//       %2 = subtract %d, %1
//       %3 = custom_call @annotate_device_placement(%2) {_xla_buffer_placement = "pinned_host"}    // pinned_host(w1)
#pragma once

#include <optional>
#include <vector>

#include "program/program.h"
#include "sharding/memory_kind.h"

namespace shardscope {

/// Where main takes and returns its values; absent (or not listed): where the devices compute.
struct MainMemory {
    std::vector<std::optional<MemoryKind>> arguments, results;
};

/// An argument is brought to memory `own` right before the first operation of main that reads it, a result away from it
/// at the end. What is returned as it was taken, to the same memory, does not move. Values keep their ids; new ones are
/// called "device(w)" after what they are made of. Of a program that says nothing of memories itself (memoryOf()).
[[nodiscard]] Program withMemoryMoves(Program program, const MainMemory& memory, MemoryKind own);

} // namespace shardscope

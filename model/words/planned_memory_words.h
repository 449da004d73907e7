// SPDX-License-Identifier: GPL-3.0-or-later
// What a device holds of a program in a text, in words.
#pragma once

#include <QString>

#include "pipeline/planned_memory.h"

namespace shardscope::words {

/// "arguments", "values", "for exchanges": the parts of what is held.
[[nodiscard]] QString memoryPart(PlannedMemory::Part part);
/// "layers.0 / W1"; "layers.0 / W1, by all_gather" for a copy; "dynamic_slice" for what is no value of the program.
[[nodiscard]] QString heldName(const PlannedMemory& memory, const PlannedMemory::Array& array);
/// "at operation 12 of 40, dot_general, which gives layers.0 / z"; "at the start, before any operation".
[[nodiscard]] QString peakPlace(const PlannedMemory& memory);
/// "arguments 4 MiB, values 32 KiB": parts that hold something.
[[nodiscard]] QString peakParts(const PlannedMemory& memory);
/// A sentence about arguments that are no longer held at the peak, which they are in JAX unless they are donated; empty
/// where all are still held.
[[nodiscard]] QString argumentsLetGo(const PlannedMemory& memory);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// What a device holds in a step, in words.
#pragma once

#include <QString>

#include "pipeline/planned_memory.h"

namespace shardscope::words {

/// "layers.0 / W1"; "layers.0 / W1, by all_gather" for a copy; "dynamic_slice" for what is no value of the program.
[[nodiscard]] QString heldName(const PlannedMemory& memory, const PlannedMemory::Array& array);
/// "at instruction 12 of 40, dot_general, for layers.0 / z"; "all the time" where nothing is executed.
[[nodiscard]] QString peakPlace(const PlannedMemory& memory);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// What show, comms and run say of memory: what devices hold at the peak of a program in a text, what lies on
// the host, and what goes between host and devices.
#pragma once

#include "analysis/host_transfers.h"
#include "pipeline/memory_placement.h"
#include "pipeline/planned_memory.h"
#include "report.h"

namespace shardscope::cli {

/// The peak, when it is reached and the largest arrays that are held then, under a heading.
void printPlannedMemory(Console& console, const PlannedMemory& memory);
/// { "peak_bytes", "peak_without_kept_bytes", "at_peak": { "parameters", ... }, "state_bytes", "arena_bytes",
/// "depends_on_data", "peak": { "operation", "tensor", "number", "of" }, "arrays": [...] }; `peak` is null where the
/// arguments alone are the most.
[[nodiscard]] Json plannedMemoryJson(const PlannedMemory& memory);

/// What lies on the host and what moves in a step, under a heading; nothing where all lies on the devices.
void printHostMemory(Console& console, const Snapshot& snapshot);
/// Every transfer with its bytes, and their sums.
void printTransfers(Console& console, const Snapshot& snapshot);

/// { "bytes_per_device", "bytes_in_all", "array_count" }
[[nodiscard]] Json hostMemoryJson(const Snapshot& snapshot);
/// { "to_devices": { "bytes_per_device", "bytes_in_all" }, "to_host": ..., "list": [...] }
[[nodiscard]] Json transfersJson(const Snapshot& snapshot);

} // namespace shardscope::cli

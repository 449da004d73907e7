// SPDX-License-Identifier: GPL-3.0-or-later
// What show and comms say of host memory, and of what goes between it and the devices.
#pragma once

#include "report.h"

namespace shardscope::cli {

/// What lies on the host and what moves in a step, under a heading; nothing where all lies on the devices.
void printHostMemory(Console& console, const Snapshot& snapshot);
/// Every transfer with its bytes, and their sums.
void printTransfers(Console& console, const Snapshot& snapshot);

/// { "bytes_per_device", "bytes_in_all", "arrays" }
[[nodiscard]] Json hostMemoryJson(const Snapshot& snapshot);
/// { "to_devices": { "bytes_per_device", "bytes_in_all" }, "to_host": ..., "list": [...] }
[[nodiscard]] Json transfersJson(const Snapshot& snapshot);

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// Where arrays lie, and what goes between the memory of devices and that of their hosts.
#pragma once

#include <QString>

#include "analysis/host_transfers.h"
#include "pipeline/memory_placement.h"
#include "pipeline/planned_memory.h"
#include "words/words.h"

namespace shardscope::words {

[[nodiscard]] QString memoryKind(MemoryKind kind); ///< "pinned_host", as JAX calls it
[[nodiscard]] QString memoryPlace(MemoryKind kind); ///< "in pinned_host memory"

/// Why the value lies where it does, and what it costs to compute with it: "It lies in pinned_host memory, apart from
/// the memory of the devices, because the experiment keeps parameters on the host. In every step each device copies its
/// part in, 1 MiB (8 MiB in all), and the new one back to the host, 1 MiB (8 MiB in all); nothing passes between
/// devices." Empty for what lies in the devices' memory and of which nothing else is said.
[[nodiscard]] Text memoryReason(const Snapshot& snapshot, ValueId value);

/// "8 MiB per device in host memory, 64 MiB in all"; empty where nothing lies there.
[[nodiscard]] QString hostMemoryText(const HostMemory& memory);
/// "each device copies 8 MiB from the host (64 MiB in all) and 8 MiB back (64 MiB in all)"; empty for no transfer.
[[nodiscard]] QString transferSummary(const HostTransfers& transfers);
/// "host to device", "device to host", "pinned_host to unpinned_host".
[[nodiscard]] QString transferDirection(const Snapshot& snapshot, const HostTransfer& transfer);
/// "read by the step", "made by the step", "annotate_device_placement", "returned".
[[nodiscard]] QString transferCause(const Snapshot& snapshot, const HostTransfer& transfer);
/// The value that moves, as a person knows it.
[[nodiscard]] QString transferValue(const Snapshot& snapshot, const HostTransfer& transfer);
/// "arr_host: host to device, 16 B per device, 128 B in all; read by the step", one line for each, at most `most` and
/// how many more there are.
[[nodiscard]] QStringList transferLines(const Snapshot& snapshot, const HostTransfers& transfers, int most = 12);

// What a device holds in a step, in words.

/// "8.2 MiB per device, 51 % of 16 MiB"; without a limit "8.2 MiB per device".
[[nodiscard]] QString peakOfLimit(std::int64_t peak, std::int64_t limit);
struct PeakFigure {
    QString text;
    bool isTooMuch = false;
};
/// For the title of a view: the limit is told where it is less.
[[nodiscard]] PeakFigure peakFigure(std::int64_t peak, std::int64_t limit);
/// "layers.0 / W1"; "layers.0 / W1, by all_gather" for a copy; "dynamic_slice" for what is no value of the program.
[[nodiscard]] QString heldName(const PlannedMemory& memory, const PlannedMemory::Array& array);
/// "at instruction 12 of 40, dot_general, for layers.0 / z"; "all the time" where nothing is executed.
[[nodiscard]] QString peakPlace(const PlannedMemory& memory);
/// "Gradients stay to the end of the step, so that they can be looked at; freed after their last reader, the peak would
/// be 25.1 MiB."; empty where that is the same figure.
[[nodiscard]] QString peakWithoutKept(const MemorySummary& memory);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// What has to move between the memory of devices and that of their hosts.
//
//     params on the host, 1 MiB each on 8 devices: a step reads them, so every device copies 1 MiB in (8 MiB in all),
//     and it makes new ones, so every device copies 1 MiB back; nothing passes between devices
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pipeline/snapshot.h"
#include "sharding/memory_transfer.h"

namespace shardscope {

/// Bytes that arrays take in host memory, of what main takes.
struct HostMemory {
    std::int64_t bytesPerDevice = 0, bytesInAll = 0; ///< copies count, padding too
    std::int64_t arrays = 0;
    bool operator==(const HostMemory&) const = default;
};
[[nodiscard]] HostMemory hostMemory(const Snapshot& snapshot);

/// An array that goes from one memory to another in a step.
struct HostTransfer {
    enum class Cause : std::uint8_t {
        Read, ///< a step reads an array of the host
        Declared, ///< a step makes an array that lies on the host
        Placement, ///< a custom call of the program says so
        Returned, ///< main returns it to another memory
    };
    ValueId value; ///< of Snapshot::program
    Cause cause = Cause::Read;
    MemoryKind from = MemoryKind::Device, to = MemoryKind::Device;
    MemoryTransfer bytes; ///< once
    std::int64_t times = 1; ///< per step
    bool timesKnown = true; ///< false: a loop around it has trips that nobody can tell before it runs
    OperationId operation; ///< of Snapshot::program; for Placement
};
/// "read", "written", "placement", "returned".
[[nodiscard]] std::string_view causeId(const HostTransfer& transfer);
struct HostTransfers {
    std::vector<HostTransfer> list; ///< in program order
    MemoryTransfer toDevices, toHost; ///< per step
    [[nodiscard]] bool empty() const { return list.empty(); }
};
/// Of one step, or one run of a program. Empty without a layout.
[[nodiscard]] HostTransfers hostTransfers(const Snapshot& snapshot);

} // namespace shardscope

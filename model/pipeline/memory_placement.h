// SPDX-License-Identifier: GPL-3.0-or-later
// Where arrays lie, in the memory of their devices or on their hosts, and what has to move between the two.
//
//     params on the host, 1 MiB each on 8 devices: a step reads them, so every device copies 1 MiB in (8 MiB in all),
//     and it makes new ones, so every device copies 1 MiB back; nothing passes between devices
//
// Where an array lies says nothing of how it is sharded: layouts, collectives and results stay what they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "pipeline/snapshot.h"
#include "program/memory_kinds.h"
#include "sharding/memory_transfer.h"

namespace shardscope {

/// Whether memory of this kind is the devices' own: "device", and what the platform takes where nothing is said (a CPU
/// computes in its host's memory).
[[nodiscard]] bool isOwnMemory(MemoryKind kind, std::string_view platform);
/// Whether the array lies on the host, apart from the memory of its devices.
[[nodiscard]] bool isOnHost(const Snapshot& snapshot, const TensorRow& row);

/// Sets TensorRow::memoryKind of all rows.
void placeRows(Snapshot& snapshot);
/// What the experiment and the text of its program say of memories and what cannot be: UnknownMemoryKind where the
/// platform lacks the kind, MixedMemoryKinds where an operation reads from two memories.
[[nodiscard]] std::vector<Problem> placementProblems(const Experiment& experiment);
[[nodiscard]] std::vector<Diagnostic> placementFindings(const Program& program, std::string_view platform);

/// Per argument of main whether it lies on the host. The snapshot has rows.
[[nodiscard]] std::vector<bool> hostArguments(const Snapshot& snapshot);
/// The plan, with the memory of devices alone: an array of the host takes part of it from the first instruction that
/// reads it to the last one that touches it.
[[nodiscard]] Plan planWithoutHostArrays(const Plan& plan, const std::vector<bool>& hostArguments);

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
        Written, ///< a step makes an array that lies on the host
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
struct HostTransfers {
    std::vector<HostTransfer> list; ///< in program order
    MemoryTransfer toDevices, toHost; ///< per step
    [[nodiscard]] bool empty() const { return list.empty(); }
};
/// Of one step, or one run of a program. Empty without a layout.
[[nodiscard]] HostTransfers hostTransfers(const Snapshot& snapshot);

} // namespace shardscope

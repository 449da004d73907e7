// SPDX-License-Identifier: GPL-3.0-or-later
// What moves when an array goes from one memory of its devices to another: every device copies what it holds, nothing
// passes between devices.
#pragma once

#include "sharding/layout.h"
#include "sharding/memory_kind.h"

namespace shardscope {

struct MemoryTransfer {
    std::int64_t bytesPerDevice = 0; ///< of the largest shard, padding included
    std::int64_t bytesInAll = 0; ///< over all devices: copies move, too
    bool operator==(const MemoryTransfer&) const = default;
};

/// Numbers beyond 64 bits are the largest number there is. Nothing moves within one memory.
[[nodiscard]] MemoryTransfer memoryTransfer(
    const Layout& layout, std::int64_t bytesPerElement, MemoryKind from, MemoryKind to);

} // namespace shardscope

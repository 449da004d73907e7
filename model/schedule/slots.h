// SPDX-License-Identifier: GPL-3.0-or-later
// Slots: which values share one, how long each is in use, and where it lies in the arena.
#pragma once

#include "schedule/order.h"

namespace shardscope {

struct SlotTable {
    std::vector<Slot> slots; ///< without offsets until packSlots()
    std::vector<std::uint32_t> ofChain; ///< per device value that begins a storage chain
    std::vector<std::uint32_t> ofExtra; ///< per saved argument
    std::size_t instructions = 0; ///< nodes and copies at the end

    [[nodiscard]] SlotId of(const Work& work, std::uint32_t value) const
    {
        const std::uint32_t slot = ofChain[work.storage[value]];
        return slot == none ? SlotId() : SlotId(slot);
    }
};

[[nodiscard]] SlotTable makeSlots(const Work& work, const Order& order);

/// Gives every slot its offset: what exists all the time first, then first fit in the order of first use. The bytes
/// reserved. TooLarge beyond 2^40.
[[nodiscard]] Result<std::int64_t> packSlots(std::vector<Slot>& slots, std::size_t instructions);

/// Bytes by owner at the peak, and over time.
[[nodiscard]] MemorySummary summarise(
    const DeviceProgram& device, const std::vector<Slot>& slots, std::size_t instructions, std::int64_t arenaBytes);

} // namespace shardscope

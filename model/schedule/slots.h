// SPDX-License-Identifier: GPL-3.0-or-later
// Slots: which values share one, how long each is in use, and where it lies in the arena.
#pragma once

#include <unordered_map>

#include "schedule/order.h"

namespace shardscope {

/// Slots of values that stand around a block: by value.
using OuterSlots = std::unordered_map<FlatValueId, SlotId>;

struct SlotTable {
    std::vector<Slot> slots; ///< the block's own, without offsets until packSlots()
    std::uint32_t first = 0; ///< SlotId of slots[0]
    std::vector<SlotId> ofChain; ///< per value that begins a storage chain
    std::vector<SlotId> ofExtra; ///< per saved argument
    /// Per node: where its loop or branches work; invalid for other nodes.
    std::vector<SlotId> ofNode;
    std::size_t instructions = 0; ///< nodes and copies at the end

    [[nodiscard]] SlotId of(const Work& work, std::uint32_t value) const { return ofChain[work.storage[value]]; }
    [[nodiscard]] Slot& at(SlotId id) { return slots[id.index - first]; }
};

/// `outer`: what the block finds there when it begins; a block has no slots of its own for that. Its own are numbered
/// from `first` on.
[[nodiscard]] SlotTable makeSlots(
    const Work& work, const Order& order, const OuterSlots& outer, std::uint32_t first, std::uint32_t block);

/// Gives every slot its offset: what exists all the time first, then first fit in the order of first use. The bytes
/// reserved. TooLarge beyond 2^40.
[[nodiscard]] Result<std::int64_t> packSlots(std::vector<Slot>& slots, std::size_t instructions);

/// Bytes by owner at the peak, and over time. `inner`: of the rooms of loops and branches, what is live in them, by the
/// number of the slot.
using InnerMemory = std::unordered_map<std::size_t, const MemorySummary*>;
[[nodiscard]] MemorySummary summarise(const FlatProgram& program, const std::vector<Slot>& slots,
    std::size_t instructions, std::int64_t arenaBytes, const InnerMemory& inner);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Where every slot of every device is: one arena per device, or several devices of little memory in one; and one for
// what replicas share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "simulate/run/memory.h"
#include "simulate/run/replica_sharing.h"

namespace shardscope {

class DeviceMemory {
public:
    DeviceMemory() = default;
    /// Decides where things go and takes no memory. A default sharing = everybody has own copies.
    DeviceMemory(const Plan& plan, const ReplicaSharing& sharing);

    /// Bytes that allocate() takes; as double, since a plan may be far larger than any memory.
    [[nodiscard]] double bytesNeeded() const;
    /// False when the system has no memory left.
    [[nodiscard]] bool allocate();

    /// addresses()[position * slotCount() + slot]
    [[nodiscard]] std::byte* const* addresses() const { return m_addresses.data(); }
    /// Of one device, to be changed where a slice is read in place.
    [[nodiscard]] std::byte** addresses(std::size_t position) { return m_addresses.data() + position * slotCount(); }
    [[nodiscard]] std::size_t slotCount() const { return m_offsets.size(); }
    [[nodiscard]] std::byte* address(std::size_t position, SlotId slot) const
    {
        return m_addresses[position * slotCount() + slot.index];
    }
    /// Fills one of arenaCount() arenas with zeros, or a part of it if stopped.
    void clear(std::size_t arena, const std::stop_token& stop = {});
    [[nodiscard]] std::size_t arenaCount() const { return m_arenas.size(); }

private:
    [[nodiscard]] std::size_t deviceArenas() const { return (m_devices + m_perArena - 1) / m_perArena; }
    /// The devices of an arena have that many bytes together.
    [[nodiscard]] std::int64_t bytesOfArena(std::size_t arena) const;

    std::size_t m_devices = 0;
    std::size_t m_perArena = 1; ///< devices in one
    std::vector<std::int64_t> m_offsets; ///< per slot: in its device's memory, or of shard 0 in the shared one
    std::vector<std::int64_t> m_pitch; ///< per slot: bytes from shard to shard in the shared arena
    std::vector<std::vector<std::int32_t>> m_shards; ///< as in ReplicaSharing
    std::int64_t m_deviceBytes = 0, m_sharedBytes = 0;
    std::vector<Arena> m_arenas; ///< of the devices, then the shared one
    std::vector<std::byte*> m_addresses;
};

} // namespace shardscope

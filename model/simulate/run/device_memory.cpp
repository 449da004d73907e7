// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/device_memory.h"

#include <algorithm>
#include <cstring>

#include "base/alignment.h"

namespace shardscope {

DeviceMemory::DeviceMemory(const Plan& plan, const ReplicaSharing& sharing)
    : m_devices(static_cast<std::size_t>(plan.program->mesh->deviceCount()))
    , m_pitch(plan.slots.size())
    , m_shards(plan.slots.size())
{
    // State keeps its interval of the arena for the whole step, so the intervals of shared state can be cut out and
    // what lies after them moved up.
    struct Interval {
        std::int64_t offset, bytes;
    };
    std::vector<Interval> intervals;
    for (std::size_t slot = 0; slot < plan.slots.size(); ++slot)
        if (sharing.isShared(SlotId(slot))) {
            m_shards[slot] = sharing.shards[slot];
            intervals.push_back({ plan.slots[slot].offset, alignedBytes(plan.slots[slot].bytes) });
        }
    std::int64_t sharedBytes = 0;
    for (const Interval& interval : intervals)
        sharedBytes += interval.bytes;
    for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
        std::int64_t offset = plan.slots[slot].offset;
        if (m_shards[slot].empty()) {
            for (const Interval& interval : intervals)
                offset -= interval.offset < plan.slots[slot].offset ? interval.bytes : 0;
        } else {
            offset = m_sharedBytes;
            m_pitch[slot] = alignedBytes(plan.slots[slot].bytes);
            m_sharedBytes += m_pitch[slot] * (*std::max_element(m_shards[slot].begin(), m_shards[slot].end()) + 1);
        }
        m_offsets.push_back(offset);
    }
    m_deviceBytes = std::max<std::int64_t>(alignedBytes(plan.memory.arenaBytes) - sharedBytes, memoryAlignment);
    // Small memories stand beside each other: together they get huge pages.
    constexpr std::int64_t together = std::int64_t{ 64 } << 20;
    if (!Arena::isLarge(m_deviceBytes))
        m_perArena = std::clamp(static_cast<std::size_t>(together / m_deviceBytes), std::size_t{ 1 },
            std::max(m_devices, std::size_t{ 1 }));
}

std::int64_t DeviceMemory::bytesOfArena(std::size_t arena) const
{
    return m_deviceBytes * static_cast<std::int64_t>(std::min(m_perArena, m_devices - arena * m_perArena));
}

double DeviceMemory::bytesNeeded() const
{
    double bytes = m_sharedBytes > 0 ? Arena::bytesTaken(m_sharedBytes) : 0;
    if (const std::size_t arenas = deviceArenas(); arenas > 0)
        bytes += Arena::bytesTaken(bytesOfArena(0)) * static_cast<double>(arenas - 1)
            + Arena::bytesTaken(bytesOfArena(arenas - 1));
    return bytes;
}

bool DeviceMemory::allocate()
{
    for (std::size_t arena = 0; arena < deviceArenas(); ++arena)
        m_arenas.emplace_back(bytesOfArena(arena));
    if (m_sharedBytes > 0)
        m_arenas.emplace_back(m_sharedBytes);
    if (std::any_of(m_arenas.begin(), m_arenas.end(), [](const Arena& arena) { return arena.data() == nullptr; }))
        return false;
    m_addresses.resize(m_devices * slotCount());
    for (std::size_t device = 0; device < m_devices; ++device) {
        std::byte* own =
            m_arenas[device / m_perArena].data() + m_deviceBytes * static_cast<std::int64_t>(device % m_perArena);
        for (std::size_t slot = 0; slot < slotCount(); ++slot)
            m_addresses[device * slotCount() + slot] = m_shards[slot].empty()
                ? own + m_offsets[slot]
                : m_arenas.back().data() + m_offsets[slot] + m_pitch[slot] * m_shards[slot][device];
    }
    return true;
}

void DeviceMemory::clear(std::size_t arena, const std::stop_token& stop)
{
    constexpr std::int64_t part = std::int64_t{ 16 } << 20; // some milliseconds
    const std::int64_t bytes = m_arenas[arena].bytes();
    for (std::int64_t done = 0; done < bytes && !stop.stop_requested(); done += part)
        std::memset(m_arenas[arena].data() + done, 0, static_cast<std::size_t>(std::min(part, bytes - done)));
}

} // namespace shardscope

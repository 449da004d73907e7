// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/device_memory.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/alignment.h"

namespace shardscope {

namespace {

/// What follows an array of full pages, so that arrays which are read side by side do not begin at the same place of a
/// page: these would contend for a few lines of the caches. Where a parameter and its moments did, a step of a large
/// model took a quarter longer.
std::int64_t bytesWithStagger(std::int64_t bytes)
{
    constexpr std::int64_t page = 4096, stagger = 17 * memoryAlignment;
    return alignedBytes(bytes) + (bytes > 0 && bytes % page == 0 ? stagger : 0);
}

/// Parts of the arena that are put elsewhere.
class MovedParts {
public:
    explicit MovedParts(const Plan& plan)
        : m_plan(plan)
    {
    }
    /// Of increasing offsets.
    void add(std::size_t slot)
    {
        m_begins.push_back(m_plan.slots[slot].offset);
        m_total += alignedBytes(m_plan.slots[slot].bytes);
        m_bytes.push_back(m_total);
    }
    /// Where something stands without the parts before it.
    [[nodiscard]] std::int64_t without(std::int64_t offset) const
    {
        const auto before = std::lower_bound(m_begins.begin(), m_begins.end(), offset) - m_begins.begin();
        return before == 0 ? offset : offset - m_bytes[static_cast<std::size_t>(before - 1)];
    }
    [[nodiscard]] std::int64_t bytes() const { return m_total; }

private:
    const Plan& m_plan;
    std::vector<std::int64_t> m_begins, m_bytes; ///< per part: where it begins, and the bytes of all up to it
    std::int64_t m_total = 0;
};

std::vector<std::size_t> byOffset(const Plan& plan)
{
    std::vector<std::size_t> slots(plan.slots.size());
    std::iota(slots.begin(), slots.end(), std::size_t{ 0 });
    std::sort(slots.begin(), slots.end(),
        [&plan](std::size_t a, std::size_t b) { return plan.slots[a].offset < plan.slots[b].offset; });
    return slots;
}

} // namespace

DeviceMemory::DeviceMemory(const Plan& plan, const ReplicaSharing& sharing)
    : m_devices(static_cast<std::size_t>(plan.program->mesh->deviceCount()))
    , m_offsets(plan.slots.size())
    , m_pitch(plan.slots.size())
    , m_shards(plan.slots.size())
{
    // An interval of the arena that one slot has for itself, as state has, can be taken out, and what lies after it
    // moved up.
    const std::vector<std::size_t> slots = byOffset(plan);
    MovedParts moved(plan);
    std::vector<std::size_t> staggered; // of the device's own
    std::int64_t end = 0; // of all before
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const Slot& slot = plan.slots[slots[i]];
        const std::int64_t slotEnd = slot.offset + alignedBytes(slot.bytes);
        const bool isAlone =
            slot.offset >= end && (i + 1 == slots.size() || plan.slots[slots[i + 1]].offset >= slotEnd);
        end = std::max(end, slotEnd);
        const bool isShared = sharing.isShared(SlotId(slots[i]));
        if (!isShared && !(isAlone && bytesWithStagger(slot.bytes) > alignedBytes(slot.bytes)))
            continue;
        moved.add(slots[i]);
        if (!isShared) {
            staggered.push_back(slots[i]);
            continue;
        }
        m_shards[slots[i]] = sharing.shards[slots[i]];
        m_pitch[slots[i]] = bytesWithStagger(slot.bytes);
        m_offsets[slots[i]] = m_sharedBytes;
        std::int64_t bytes =
            m_pitch[slots[i]] * (*std::max_element(m_shards[slots[i]].begin(), m_shards[slots[i]].end()) + 1);
        if (m_pitch[slots[i]] > alignedBytes(slot.bytes) && bytes / memoryAlignment % 2 == 0)
            bytes += memoryAlignment; // an odd number of lines: 64 arrays in turn begin at different places
        m_sharedBytes += bytes;
    }
    for (std::size_t slot = 0; slot < plan.slots.size(); ++slot)
        if (m_shards[slot].empty())
            m_offsets[slot] = moved.without(plan.slots[slot].offset);
    m_deviceBytes = alignedBytes(plan.memory.arenaBytes) - moved.bytes();
    for (const std::size_t slot : staggered) {
        m_offsets[slot] = m_deviceBytes;
        m_deviceBytes += bytesWithStagger(plan.slots[slot].bytes);
    }
    m_deviceBytes = std::max<std::int64_t>(m_deviceBytes, memoryAlignment);
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/device_memory.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "base/alignment.h"

namespace shardscope {

namespace {

constexpr std::int64_t pageBytes = 4096;
constexpr std::int64_t staggerBytes = 17 * memoryAlignment;

/// Whether the array is so large, and ends so, that the next one must not follow it at once. Arrays that a step
/// reads side by side would begin at the same place of a page, and contend for the same sets of the caches: where a
/// parameter and its moments did, a step of a large model took a quarter longer.
bool isStaggered(std::int64_t bytes)
{
    return bytes >= 4 * pageBytes && alignedBytes(bytes) % pageBytes == 0;
}

/// Places arrays one after the other. The staggered ones begin 17 cache lines further on in a page from one to the
/// next, so that 64 in turn begin at different places.
class Placement {
public:
    explicit Placement(std::int64_t begin)
        : m_end(begin)
    {
    }
    /// Where an array of so many bytes begins.
    std::int64_t add(std::int64_t bytes, bool staggered)
    {
        if (staggered)
            m_end += ((m_number++ * staggerBytes - m_end) % pageBytes + pageBytes) % pageBytes;
        const std::int64_t begin = m_end;
        m_end += alignedBytes(bytes);
        return begin;
    }
    [[nodiscard]] std::int64_t end() const { return m_end; }

private:
    std::int64_t m_end;
    std::int64_t m_number = 0; ///< of staggered arrays
};

/// Parts of the arena that are put elsewhere.
class MovedParts {
public:
    /// Of increasing offsets.
    void add(std::int64_t offset, std::int64_t bytes)
    {
        m_begins.push_back(offset);
        m_total += alignedBytes(bytes);
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
    std::vector<std::int64_t> m_begins, m_bytes; ///< per part: where it begins, and the bytes of all up to it
    std::int64_t m_total = 0;
};

/// Empty slots before others of the same offset.
std::tuple<std::int64_t, std::int64_t, std::size_t> placeOf(const Plan& plan, std::size_t slot)
{
    return { plan.slots[slot].offset, plan.slots[slot].bytes, slot };
}

std::vector<std::size_t> byOffset(const Plan& plan)
{
    std::vector<std::size_t> slots(plan.slots.size());
    std::iota(slots.begin(), slots.end(), std::size_t{ 0 });
    std::sort(slots.begin(), slots.end(),
        [&plan](std::size_t a, std::size_t b) { return placeOf(plan, a) < placeOf(plan, b); });
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
    MovedParts moved;
    Placement shared(0);
    std::vector<std::size_t> alone; // those of the device's own that are staggered
    std::int64_t end = 0; // of all before
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const std::size_t number = slots[i];
        const Slot& slot = plan.slots[number];
        const std::int64_t slotEnd = slot.offset + alignedBytes(slot.bytes);
        const bool isAlone =
            slot.offset >= end && (i + 1 == slots.size() || plan.slots[slots[i + 1]].offset >= slotEnd);
        end = std::max(end, slotEnd);
        const bool staggered = isStaggered(slot.bytes);
        if (sharing.isShared(SlotId(number))) {
            const std::vector<std::int32_t>& shards = m_shards[number] = sharing.shards[number];
            m_pitch[number] = alignedBytes(slot.bytes) + (staggered ? staggerBytes : 0);
            m_offsets[number] =
                shared.add(m_pitch[number] * (*std::max_element(shards.begin(), shards.end()) + 1), staggered);
        } else if (isAlone && staggered) {
            alone.push_back(number);
        } else {
            continue;
        }
        moved.add(slot.offset, slot.bytes);
    }
    m_sharedBytes = shared.end();
    for (std::size_t slot = 0; slot < plan.slots.size(); ++slot)
        if (m_shards[slot].empty())
            m_offsets[slot] = moved.without(plan.slots[slot].offset);
    Placement own(alignedBytes(plan.memory.arenaBytes) - moved.bytes());
    for (const std::size_t slot : alone)
        m_offsets[slot] = own.add(plan.slots[slot].bytes, true);
    m_deviceBytes = std::max<std::int64_t>(own.end(), memoryAlignment);
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

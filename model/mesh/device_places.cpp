// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/device_places.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "mesh/device_presets.h"
#include "mesh/mesh.h"

namespace shardscope {

namespace {

/// Ids count with x fastest: a block of chips is a run of them where it has one chip along every direction after the
/// first that it does not fill.
bool hasRunsForHosts(const DeviceSet& set)
{
    bool partial = false;
    for (std::size_t i = 0; i < 3; ++i) {
        if (partial && set.hostChips[i] > 1)
            return false;
        partial = partial || set.hostChips[i] < set.chips[i];
    }
    return set.own.empty();
}

} // namespace

DevicePlaces::DevicePlaces(DeviceSet set)
    : m_set(std::move(set))
    , m_hostsAreRuns(hasRunsForHosts(m_set))
{
    if (m_set.own.empty())
        return;
    std::int32_t largest = 0;
    for (const DevicePlace& place : m_set.own)
        largest = std::max(largest, place.id);
    m_positions.assign(static_cast<std::size_t>(largest) + 1, -1);
    for (std::size_t i = 0; i < m_set.own.size(); ++i)
        m_positions[static_cast<std::size_t>(m_set.own[i].id)] = static_cast<std::int32_t>(i);
}

bool DevicePlaces::has(std::int32_t id) const
{
    if (id < 0)
        return false;
    if (m_positions.empty())
        return id < m_set.count();
    return static_cast<std::size_t>(id) < m_positions.size() && m_positions[static_cast<std::size_t>(id)] >= 0;
}

std::optional<std::int32_t> missingId(const DeviceSet& set)
{
    if (set.own.empty())
        return std::nullopt;
    const DevicePlaces places(set);
    for (std::int32_t id = 0; id < set.count(); ++id)
        if (!places.has(id))
            return id;
    return std::nullopt;
}

std::array<bool, 3> wraparound(const DeviceSet& set)
{
    std::array<bool, 3> wraps{};
    if (!set.hasChipGrid())
        return wraps;
    const auto multiple = [](std::int32_t size) { return size % 4 == 0; };
    const auto& chips = set.chips;
    if (set.kind == "TPU v2" || set.kind == "TPU v3") {
        const std::int32_t pod = set.kind == "TPU v2" ? 16 : 32;
        wraps[0] = wraps[1] = chips[0] == pod && chips[1] == pod && chips[2] == 1;
    } else if (set.kind == "TPU v4" || set.kind == "TPU v5p" || set.kind == "TPU7x") {
        wraps.fill(std::all_of(chips.begin(), chips.end(), multiple));
    } else if (set.kind == "TPU v5 lite" || set.kind == "TPU v6 lite") {
        wraps[0] = chips[0] == 16;
        wraps[1] = chips[1] == 16;
    }
    return wraps;
}

std::optional<std::int64_t> linksBetween(
    const DevicePlaces& places, std::array<bool, 3> wraps, std::int32_t from, std::int32_t to)
{
    if (!places.slicesAreFast())
        return std::nullopt;
    const DevicePlace a = places[from], b = places[to];
    if (a.slice != b.slice)
        return std::nullopt;
    std::int64_t links = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t straight = std::abs(std::int64_t{ a.coordinates[i] } - b.coordinates[i]);
        links += wraps[i] ? std::min(straight, places.set().chips[i] - straight) : straight;
    }
    return links;
}

std::optional<std::array<std::int32_t, 3>> usualChips(std::string_view kind, std::int64_t chips)
{
    const auto presets = devicePresets();
    const auto preset =
        std::find_if(presets.begin(), presets.end(), [kind](const DevicePreset& p) { return p.kind == kind; });
    if (preset == presets.end() || preset->platform != "tpu" || chips < 1 || chips > maximumDevices)
        return std::nullopt;
    const auto largestDivisor = [](std::int64_t number, std::int64_t most) {
        std::int64_t found = 1;
        for (std::int64_t i = 1; i <= most && i <= number; ++i)
            if (number % i == 0)
                found = i;
        return found;
    };
    const auto root = [](std::int64_t number, int power) {
        std::int64_t r = 1;
        const auto raised = [power](std::int64_t base) { return power == 2 ? base * base : base * base * base; };
        while (raised(r + 1) <= number)
            ++r;
        return r;
    };
    std::array<std::int32_t, 3> grid{ 1, 1, 1 };
    const bool cube = preset->dimensions == 3;
    const std::int64_t first = largestDivisor(chips, root(chips, cube ? 3 : 2));
    const std::int64_t second = cube ? largestDivisor(chips / first, root(chips / first, 2)) : chips / first;
    grid[0] = static_cast<std::int32_t>(first);
    grid[1] = static_cast<std::int32_t>(second);
    grid[2] = static_cast<std::int32_t>(chips / first / second);
    return grid;
}

} // namespace shardscope

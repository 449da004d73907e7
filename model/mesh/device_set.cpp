// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/device_set.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/codes.h"
#include "mesh/mesh.h"

namespace shardscope {

namespace {

/// Takes the minor digit of base `base` off `number`.
std::int32_t digit(std::int32_t& number, std::int32_t base)
{
    const std::int32_t value = number % base;
    number /= base;
    return value;
}

tl::unexpected<Error> tooMany()
{
    return fail(Code::TooLarge, { { "what", "devices" }, { "limit", maximumDevices } });
}

std::int32_t processOfChip(const DeviceSet& set, const std::array<std::int32_t, 3>& chip, std::int32_t slice)
{
    std::int32_t process = slice;
    for (std::size_t i = 3; i-- > 0;)
        process = process * (set.chips[i] / set.hostChips[i]) + chip[i] / set.hostChips[i];
    return process;
}

} // namespace

DeviceSet DeviceSet::ofHosts(std::string kind, std::string platform, std::int32_t hosts, std::int32_t devicesPerHost)
{
    return { std::move(kind), std::move(platform), hosts, devicesPerHost, {}, {}, 1, 1, {} };
}

Result<DeviceSet> DeviceSet::ofChips(std::string kind, std::array<std::int32_t, 3> chips,
    std::array<std::int32_t, 3> hostChips, std::int32_t coresPerChip, std::int32_t slices)
{
    std::int64_t devices = 1;
    for (const std::int32_t size : { chips[0], chips[1], chips[2], coresPerChip, slices }) {
        if (size < 1)
            return fail(
                Code::OutOfRange, { { "key", "devices" }, { "value", size }, { "min", 1 }, { "max", maximumDevices } });
        devices *= size; // five factors, each checked before the next
        if (devices > maximumDevices)
            return tooMany();
    }
    std::int32_t devicesPerHost = coresPerChip;
    for (std::size_t i = 0; i < 3; ++i) {
        if (hostChips[i] < 1 || chips[i] % hostChips[i] != 0)
            return fail(Code::OutOfRange,
                { { "key", "chips of a host" }, { "value", hostChips[i] }, { "min", 1 }, { "max", chips[i] } });
        devicesPerHost *= hostChips[i];
    }
    return DeviceSet{ std::move(kind), "tpu", static_cast<std::int32_t>(devices / devicesPerHost), devicesPerHost,
        chips, hostChips, coresPerChip, slices, {} };
}

std::array<std::int32_t, 3> DeviceSet::usualHostChips(std::array<std::int32_t, 3> chips)
{
    return { chips[0] % 2 == 0 ? 2 : 1, chips[1] % 2 == 0 ? 2 : 1, 1 };
}

Result<DeviceSet> DeviceSet::ofList(std::string kind, std::string platform, std::vector<DevicePlace> places)
{
    if (static_cast<std::int64_t>(places.size()) > maximumDevices)
        return tooMany();
    const auto outOfRange = [](const char* key, std::int64_t value, std::int64_t minimum) {
        return fail(
            Code::OutOfRange, { { "key", key }, { "value", value }, { "min", minimum }, { "max", maximumDevices } });
    };
    if (places.empty())
        return outOfRange("number of devices", 0, 1);
    std::vector<std::int32_t> ids;
    std::map<std::int32_t, std::int32_t> perHost;
    std::vector<std::int32_t> slices;
    for (const DevicePlace& place : places) {
        const std::pair<const char*, std::int32_t> numbers[] = { { "id", place.id }, { "process", place.process },
            { "x", place.coordinates[0] }, { "y", place.coordinates[1] }, { "z", place.coordinates[2] },
            { "core", place.core }, { "slice", place.slice } };
        for (const auto& [name, number] : numbers)
            if (number < 0 || number > maximumDevices)
                return outOfRange(name, number, 0);
        ids.push_back(place.id);
        slices.push_back(place.slice);
        ++perHost[place.process];
    }
    std::sort(ids.begin(), ids.end());
    if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end())
        return fail(Code::DuplicateDevice, { { "id", *twice } });
    std::sort(slices.begin(), slices.end());
    DeviceSet set;
    set.kind = std::move(kind);
    set.platform = std::move(platform);
    set.hosts = static_cast<std::int32_t>(perHost.size());
    set.devicesPerHost = 0;
    for (const auto& [process, devices] : perHost)
        set.devicesPerHost = std::max(set.devicesPerHost, devices);
    set.slices = static_cast<std::int32_t>(std::unique(slices.begin(), slices.end()) - slices.begin());
    set.own = std::move(places);
    return set;
}

DevicePlace DeviceSet::listed(std::int64_t position) const
{
    if (!own.empty())
        return own[static_cast<std::size_t>(position)];
    auto rest = static_cast<std::int32_t>(position);
    if (!hasChipGrid())
        return place(rest);
    DevicePlace place;
    place.core = digit(rest, coresPerChip);
    for (std::size_t i = 0; i < 3; ++i) // the chip inside its host
        place.coordinates[i] = digit(rest, hostChips[i]);
    std::int32_t host = rest; // counts through the hosts of slice after slice
    place.process = host;
    for (std::size_t i = 0; i < 3; ++i)
        place.coordinates[i] += hostChips[i] * digit(host, chips[i] / hostChips[i]);
    place.slice = host;
    place.id = place.slice;
    for (std::size_t i = 3; i-- > 0;)
        place.id = place.id * chips[i] + place.coordinates[i];
    place.id = place.id * coresPerChip + place.core;
    return place;
}

DevicePlace DeviceSet::place(std::int32_t id) const
{
    if (!own.empty())
        return *std::find_if(own.begin(), own.end(), [id](const DevicePlace& place) { return place.id == id; });
    if (!hasChipGrid())
        return { id, id / devicesPerHost, { id % devicesPerHost, id / devicesPerHost, 0 }, 0, 0 };
    DevicePlace place;
    place.id = id;
    std::int32_t rest = id;
    place.core = digit(rest, coresPerChip);
    for (std::size_t i = 0; i < 3; ++i)
        place.coordinates[i] = digit(rest, chips[i]);
    place.slice = rest;
    place.process = processOfChip(*this, place.coordinates, place.slice);
    return place;
}

DeviceCursor::DeviceCursor(const DeviceSet& set, std::int64_t position)
    : m_set(&set)
    , m_position(position)
{
    if (position >= set.count())
        return;
    m_place = set.listed(position);
    if (!set.hasChipGrid())
        return;
    for (std::size_t i = 0; i < 3; ++i) {
        m_hosts[i] = set.chips[i] / set.hostChips[i];
        m_inHost[i] = m_place.coordinates[i] % set.hostChips[i];
        m_host[i] = m_place.coordinates[i] / set.hostChips[i];
    }
}

DeviceCursor& DeviceCursor::operator++()
{
    ++m_position;
    if (!m_set->hasChipGrid()) {
        if (m_set->own.empty()) {
            const std::int32_t next = m_place.coordinates[0] + 1;
            const bool sameHost = next < m_set->devicesPerHost;
            ++m_place.id;
            m_place.coordinates[0] = sameHost ? next : 0;
            m_place.coordinates[1] = m_place.process += sameHost ? 0 : 1;
        } else if (m_position < m_set->count()) {
            m_place = m_set->own[static_cast<std::size_t>(m_position)];
        }
        return *this;
    }
    const auto step = [](std::int32_t& digit, std::int32_t base) {
        digit = digit + 1 < base ? digit + 1 : 0;
        return digit == 0;
    };
    bool carry = step(m_place.core, m_set->coresPerChip);
    for (std::size_t i = 0; i < 3 && carry; ++i)
        carry = step(m_inHost[i], m_set->hostChips[i]);
    if (carry) {
        ++m_place.process;
        for (std::size_t i = 0; i < 3 && carry; ++i)
            carry = step(m_host[i], m_hosts[i]);
    }
    m_place.slice += carry ? 1 : 0;
    compose();
    return *this;
}

void DeviceCursor::compose()
{
    std::int32_t id = m_place.slice;
    for (std::size_t i = 3; i-- > 0;) {
        m_place.coordinates[i] = m_host[i] * m_set->hostChips[i] + m_inHost[i];
        id = id * m_set->chips[i] + m_place.coordinates[i];
    }
    m_place.id = id * m_set->coresPerChip + m_place.core;
}

DeviceList DeviceList::first(std::int64_t count) const
{
    DeviceList list = *this;
    list.m_count = count;
    if (!m_positions.empty())
        list.m_positions.resize(static_cast<std::size_t>(count));
    return list;
}

DeviceList DeviceList::at(std::vector<std::int32_t> indices) const
{
    DeviceList list(*m_set);
    bool consecutive = true;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        indices[i] = static_cast<std::int32_t>(position(indices[i]));
        consecutive = consecutive && indices[i] == indices[0] + static_cast<std::int32_t>(i);
    }
    list.m_count = static_cast<std::int64_t>(indices.size());
    if (!consecutive)
        list.m_positions = std::move(indices);
    else if (!indices.empty())
        list.m_begin = indices[0];
    return list;
}

} // namespace shardscope

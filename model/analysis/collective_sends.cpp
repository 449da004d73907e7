// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/collective_sends.h"

#include <algorithm>

#include "program/other_attributes.h"

namespace shardscope {

namespace {

/// Groups of device ids; all devices where none are named. A permutation without pairs has none.
std::vector<std::vector<std::int64_t>> groupsIn(const CollectiveAttributes& own, std::int64_t devices, bool permutes)
{
    std::vector<std::vector<std::int64_t>> groups;
    for (const std::vector<std::int64_t>& group : own.groups) {
        std::vector<std::int64_t> members;
        std::copy_if(group.begin(), group.end(), std::back_inserter(members),
            [&](std::int64_t id) { return id >= 0 && id < devices; });
        if (!members.empty())
            groups.push_back(std::move(members));
    }
    if (groups.empty() && !permutes) {
        groups.emplace_back();
        for (std::int64_t id = 0; id < devices; ++id)
            groups.back().push_back(id);
    }
    return groups;
}

} // namespace

std::optional<CollectiveSends> sendsOf(const Operation& operation, std::int64_t devices)
{
    const auto* own = attributesAs<CollectiveAttributes>(operation.attributes);
    if (!own)
        return std::nullopt;
    const bool permutes = operation.kind == OpKind::CollectivePermute;
    std::vector<std::vector<std::int64_t>> groups = groupsIn(*own, devices, permutes);
    if (permutes) // who sends to itself sends nothing
        std::erase_if(groups, [](const auto& pair) { return pair.front() == pair.back(); });
    CollectiveSends subject;
    subject.groups = static_cast<std::int64_t>(groups.size());
    subject.drawn = 0;
    const auto placeOf = [&](std::int64_t id) -> int {
        const auto found = std::find(subject.devices.begin(), subject.devices.end(), static_cast<std::int32_t>(id));
        if (found != subject.devices.end())
            return static_cast<int>(found - subject.devices.begin());
        if (subject.devices.size() == CollectiveSends::maxDevices)
            return -1;
        subject.devices.push_back(static_cast<std::int32_t>(id));
        return static_cast<int>(subject.devices.size()) - 1;
    };
    if (permutes) {
        std::vector<std::int64_t> ids;
        for (const auto& pair : groups)
            ids.insert(ids.end(), pair.begin(), pair.end());
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        for (const std::int64_t id : ids)
            (void)placeOf(id);
        for (const auto& pair : groups) {
            const int from = placeOf(pair.front()), to = placeOf(pair.back());
            if (pair.size() == 2 && from >= 0 && to >= 0) {
                subject.sends.emplace_back(from, to);
                ++subject.drawn;
            }
        }
        return subject;
    }
    for (const auto& group : groups) {
        if (!subject.devices.empty() && subject.devices.size() + group.size() > CollectiveSends::maxDevices)
            break;
        ++subject.drawn;
        std::vector<int> places;
        for (const std::int64_t id : group)
            if (const int place = placeOf(id); place >= 0)
                places.push_back(place);
            else
                ++subject.left;
        for (const int from : places)
            for (const int to : places)
                if (operation.kind != OpKind::CollectiveBroadcast || from == places.front())
                    subject.sends.emplace_back(from, to);
    }
    return subject;
}

} // namespace shardscope

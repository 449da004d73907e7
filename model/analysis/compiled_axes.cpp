// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compiled_axes.h"

#include <algorithm>
#include <numeric>

#include "sharding/layout.h"

namespace shardscope {

namespace {

using DeviceGroups = std::vector<std::vector<std::int32_t>>;

/// In an order that does not depend on how they are listed.
DeviceGroups inOrder(DeviceGroups groups)
{
    for (std::vector<std::int32_t>& group : groups)
        std::sort(group.begin(), group.end());
    std::sort(groups.begin(), groups.end());
    return groups;
}

DeviceGroups withDeviceIds(DeviceGroups groups, const Mesh& mesh)
{
    for (std::vector<std::int32_t>& group : groups)
        for (std::int32_t& member : group)
            member = static_cast<std::int32_t>(mesh.deviceAt(member));
    return groups;
}

/// All lists of axes that may be meant, the fewest devices in a group first.
std::vector<AxisList> candidates(const Mesh& mesh)
{
    std::vector<AxisRef> axes;
    for (std::size_t a = 0; a < mesh.rank(); ++a)
        if (mesh.axes()[a].size > 1)
            axes.push_back(fullAxis(mesh, a));
    std::vector<std::pair<std::int64_t, AxisList>> found;
    for (std::size_t bits = 0; bits < std::size_t{ 1 } << axes.size(); ++bits) {
        AxisList list;
        std::int64_t size = 1;
        for (std::size_t a = 0; a < axes.size(); ++a)
            if (((bits >> a) & 1U) != 0) {
                list.push_back(axes[a]);
                size *= axes[a].size;
            }
        found.emplace_back(size, std::move(list));
    }
    for (const AxisRef& axis : axes)
        for (std::int32_t pre = 1; pre <= axis.size; ++pre)
            for (std::int32_t size = 2; axis.size % pre == 0 && size < axis.size && pre <= axis.size / size; ++size)
                if (axis.size / pre % size == 0)
                    found.emplace_back(size, AxisList{ AxisRef{ axis.axis, pre, size } });
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<AxisList> lists;
    for (auto& [size, list] : found)
        lists.push_back(std::move(list));
    return lists;
}

std::int64_t devicesAlong(const AxisList& axes)
{
    return std::accumulate(axes.begin(), axes.end(), std::int64_t{ 1 },
        [](std::int64_t product, const AxisRef& axis) { return product * axis.size; });
}

bool allWithin(const std::vector<std::pair<std::int32_t, std::int32_t>>& pairs, const DeviceGroups& groups)
{
    std::vector<std::int32_t> groupOf;
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const std::int32_t member : groups[g]) {
            if (static_cast<std::size_t>(member) >= groupOf.size())
                groupOf.resize(static_cast<std::size_t>(member) + 1, -1);
            groupOf[static_cast<std::size_t>(member)] = static_cast<std::int32_t>(g);
        }
    return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        const auto [sender, receiver] = std::minmax(pair.first, pair.second);
        return sender >= 0 && static_cast<std::size_t>(receiver) < groupOf.size()
            && groupOf[static_cast<std::size_t>(sender)] == groupOf[static_cast<std::size_t>(receiver)]
            && groupOf[static_cast<std::size_t>(sender)] >= 0;
    });
}

} // namespace

std::optional<AxisList> axesOf(const HloCollective& collective, const Mesh& mesh)
{
    const bool isPermute = collective.kind == HloCollectiveKind::CollectivePermute;
    const DeviceGroups wanted = isPermute ? DeviceGroups() : inOrder(collective.groups.expanded(mesh.deviceCount()));
    for (const bool byId : { false, true })
        for (const AxisList& axes : candidates(mesh)) {
            if (!isPermute && devicesAlong(axes) != collective.groups.size())
                continue;
            DeviceGroups groups = axisGroups(mesh, axes);
            if (byId)
                groups = withDeviceIds(std::move(groups), mesh);
            if (isPermute ? allWithin(collective.pairs, groups) : inOrder(std::move(groups)) == wanted)
                return axes;
        }
    return std::nullopt;
}

} // namespace shardscope

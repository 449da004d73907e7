// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/slow_links.h"

#include "mesh/device_places.h"

namespace shardscope {

SlowLinks::SlowLinks(const DeviceSet& devices, const Mesh& mesh)
    : m_mesh(&mesh)
{
    const DevicePlaces places(devices);
    if (places.fastGroups() <= 1)
        return;
    m_groups.reserve(static_cast<std::size_t>(mesh.deviceCount()));
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position) {
        const std::int32_t device = mesh.deviceAt(position);
        m_groups.push_back(places.has(device) ? places.fastGroup(device) : -1);
    }
}

bool SlowLinks::cross(const AxisRef& axis) const
{
    const auto [known, added] = m_known.try_emplace(axis, false);
    if (added)
        known->second = findCrossing(axis);
    return known->second;
}

bool SlowLinks::findCrossing(const AxisRef& axis) const
{
    // Neighbours along a part of an axis stand as far apart as everything minor to the part.
    const auto index = static_cast<std::size_t>(axis.axis);
    const std::int64_t step = m_mesh->stride(index) * (m_mesh->size(index) / axis.next());
    const auto count = static_cast<std::int64_t>(m_groups.size());
    for (std::int64_t position = 0; position + step < count; ++position)
        if (position / step % axis.size != axis.size - 1
            && m_groups[static_cast<std::size_t>(position)] != m_groups[static_cast<std::size_t>(position + step)])
            return true;
    return false;
}

} // namespace shardscope

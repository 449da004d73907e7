// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/slow_links.h"

#include <algorithm>

#include "mesh/host_block.h"

namespace shardscope {

SlowLinks::SlowLinks(const DeviceSet& devices, const Mesh& mesh)
    : m_mesh(&mesh)
{
    if (devices.hosts <= 1)
        return;
    std::vector<std::int32_t> ids;
    ids.reserve(static_cast<std::size_t>(mesh.deviceCount()));
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        ids.push_back(mesh.deviceAt(position));
    m_hosts = hostsOf(ids, devices);
}

bool SlowLinks::cross(const AxisRef& axis) const
{
    // Neighbours along a part of an axis stand as far apart as everything minor to the part.
    const auto index = static_cast<std::size_t>(axis.axis);
    const std::int64_t step = m_mesh->stride(index) * (m_mesh->size(index) / axis.next());
    const auto count = static_cast<std::int64_t>(m_hosts.size());
    for (std::int64_t position = 0; position + step < count; ++position)
        if (position / step % axis.size != axis.size - 1
            && m_hosts[static_cast<std::size_t>(position)] != m_hosts[static_cast<std::size_t>(position + step)])
            return true;
    return false;
}

bool SlowLinks::cross(const AxisList& axes) const
{
    return std::any_of(axes.begin(), axes.end(), [this](const AxisRef& axis) { return cross(axis); });
}

} // namespace shardscope

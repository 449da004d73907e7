// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/axis_path.h"

#include <algorithm>

namespace shardscope {

std::vector<std::int32_t> axisGroup(const Mesh& mesh, std::size_t axis, std::int64_t position)
{
    const std::int64_t first = position - mesh.coordinate(position, axis) * mesh.stride(axis);
    std::vector<std::int32_t> devices;
    devices.reserve(static_cast<std::size_t>(mesh.size(axis)));
    for (std::int64_t i = 0; i < mesh.size(axis); ++i)
        devices.push_back(mesh.deviceAt(first + i * mesh.stride(axis)));
    return devices;
}

AxisSteps axisSteps(const Mesh& mesh, const DevicePlaces& places, std::size_t axis)
{
    const std::int64_t size = mesh.size(axis), stride = mesh.stride(axis);
    AxisSteps steps{ size, mesh.deviceCount() / size, {}, {}, false };
    const std::array<bool, 3> wraps = wraparound(places.set());
    std::int64_t longest = 0, closing = 0;
    for (std::int64_t position = 0; position < mesh.deviceCount() && !steps.crosses; ++position) {
        const std::int64_t index = mesh.coordinate(position, axis);
        const std::int32_t device = mesh.deviceAt(position);
        const bool last = index + 1 == size;
        const std::int32_t next = mesh.deviceAt(last ? position - index * stride : position + stride);
        if (places.fastGroup(device) != places.fastGroup(next))
            steps.crosses = true;
        const std::int64_t links = linksBetween(places, wraps, device, next).value_or(0);
        std::int64_t& most = last ? closing : longest;
        most = std::max(most, links);
    }
    if (places.slicesAreFast() && !steps.crosses) {
        steps.longest = longest;
        steps.closing = closing;
    }
    return steps;
}

} // namespace shardscope

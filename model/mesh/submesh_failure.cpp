// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/submesh_failure.h"

#include <algorithm>
#include <array>

#include "mesh/t5x_submesh.h"

namespace shardscope {

namespace {

using Cause = SubmeshFailure::Cause;
using Coordinates = std::array<std::int32_t, 4>;

/// Ids of the devices whose coordinates lie in [from, to).
std::vector<std::int32_t> inBox(
    const DeviceList& devices, const T5xHardware& hardware, const Coordinates& from, const Coordinates& to)
{
    std::vector<std::int32_t> found;
    devices.forEach([&](const DevicePlace& place) {
        const Coordinates at = hardware.coordinates(place);
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            if (at[axis] < from[axis] || at[axis] >= to[axis])
                return;
        found.push_back(place.id);
    });
    return found;
}

} // namespace

std::optional<SubmeshFailure> submeshFailure(const DeviceSet& set, const HardwareMesh& submesh, Code code)
{
    const DeviceList devices(set);
    const T5xHardware hardware(devices);
    const HardwareMesh& bounds = hardware.bounds;
    if (submesh.size() != bounds.size() || bounds.size() > 4)
        return std::nullopt;
    SubmeshFailure failure;
    failure.onChips = hardware.hasCoordinates;
    Coordinates full{ 1, 1, 1, 1 }, box{ 1, 1, 1, 1 };
    for (std::size_t axis = 0; axis < bounds.size(); ++axis) {
        full[axis] = bounds[axis];
        box[axis] = std::clamp(submesh[axis], 1, std::max(bounds[axis], 1));
    }
    const auto add = [&](std::size_t axis, Cause cause, std::int32_t there, const Coordinates& from,
                         const Coordinates& to) {
        SubmeshFailure::Part part{ axis, cause, submesh[axis], there, {} };
        if (cause != Cause::TooLong)
            part.devices = inBox(devices, hardware, from, to);
        failure.parts.push_back(std::move(part));
    };
    for (std::size_t axis = 0; axis < bounds.size(); ++axis) {
        const std::int32_t bound = bounds[axis], host = std::max(hardware.hostBounds[axis], 1), tile = submesh[axis];
        Coordinates from{};
        switch (code) {
        case Code::SubmeshNotFactor:
            if (tile < 0 || tile > bound) {
                add(axis, Cause::TooLong, bound, from, full);
            } else if (tile > 0 && bound % tile != 0) {
                from[axis] = bound / tile * tile;
                add(axis, Cause::LeftOver, bound, from, full);
            }
            break;
        case Code::HostTiling:
            if (tile > 0 && std::max(tile, host) % std::min(tile, host) != 0) {
                // The host in which the first tile ends: a part of it is in the tile, a part outside.
                Coordinates to = box;
                from[axis] = tile / host * host;
                to[axis] = std::min(from[axis] + host, bound);
                add(axis, Cause::SplitHosts, host, from, to);
            }
            break;
        case Code::HostNotFactor:
            if (bound % host != 0) {
                from[axis] = bound / host * host;
                add(axis, Cause::HostsLeftOver, bound, from, full);
                failure.parts.back().asked = host;
            }
            break;
        case Code::ZMajorNeedsAllCores:
            if (axis == 3 && tile < bound) {
                Coordinates to = box;
                from[axis] = box[axis];
                to[axis] = bound;
                add(axis, Cause::OtherCores, bound, from, to);
            }
            break;
        default:
            break;
        }
    }
    if (failure.parts.empty())
        return std::nullopt;
    failure.first = inBox(devices, hardware, {}, box);
    return failure;
}

} // namespace shardscope

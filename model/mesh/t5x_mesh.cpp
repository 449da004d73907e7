// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/t5x_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/codes.h"
#include "mesh/axis_assignment.h"
#include "mesh/nearest_shapes.h"
#include "mesh/shape_checks.h"
#include "mesh/strided_gather.h"
#include "mesh/t5x_submesh.h"

namespace shardscope {

namespace {

using Order = SubmeshReason::Order;

std::int64_t volume(const HardwareMesh& sizes)
{
    return productOf(MeshShape(sizes.begin(), sizes.end()));
}

/// A side that is taken in full. One that is a single chip wide is no side.
bool isFull(std::int32_t part, std::int32_t bound)
{
    return part == bound && bound > 1;
}

/// The submesh is a row along `along`, or a whole plane of the two others.
bool isRowOrPlane(const SubmeshReason& plan, std::size_t along)
{
    const std::size_t a = along == 0 ? 1 : 0;
    constexpr std::size_t z = 2;
    const HardwareMesh& m = plan.submesh;
    const HardwareMesh& g = plan.bounds;
    return (isFull(m[along], g[along]) && m[a] == 1 && m[z] == 1)
        || (m[along] == 1 && isFull(m[a], g[a]) && isFull(m[z], g[z]));
}

tl::unexpected<Error> refuse(Code code, const SubmeshReason& plan)
{
    return fail(code,
        { { "submesh", shapeText(plan.submesh) }, { "bounds", shapeText(plan.bounds) },
            { "host", shapeText(plan.hostBounds) } });
}

/// Sizes and strides of one hardware dimension's parts, major first.
using Parts = std::vector<StridedAxis>;

Parts partsOf(std::int64_t stride, std::initializer_list<std::int32_t> sizes)
{
    Parts parts;
    for (const std::int32_t size : sizes)
        parts.push_back({ size, 0 });
    for (std::size_t i = parts.size(); i-- > 0; stride *= parts[i].size)
        parts[i].stride = stride;
    return parts;
}

/// g chips along a dimension, tiles of m, hosts of l: hosts and devices along data, hosts and devices along model.
Parts tiledParts(std::int64_t stride, std::int32_t g, std::int32_t m, std::int32_t l)
{
    const std::int32_t tiles = g / m;
    return m >= l ? partsOf(stride, { tiles, 1, m / l, l }) : partsOf(stride, { tiles / (l / m), l / m, 1, m });
}

/// The device at every place of the bounds, row-major.
Result<std::vector<std::int32_t>> placed(const DeviceList& devices, const T5xHardware& hardware)
{
    const std::int64_t places = volume(hardware.bounds);
    std::vector<std::int32_t> ids(static_cast<std::size_t>(std::min(places, maximumDevices)), -1);
    const auto incomplete = [&] {
        return fail(Code::DevicesDoNotFillBox,
            { { "box", shapeText(hardware.bounds) }, { "places", places }, { "devices", devices.size() } });
    };
    if (places != devices.size())
        return incomplete();
    bool complete = true;
    devices.forEach([&](const DevicePlace& place) {
        std::int64_t index = 0;
        const auto coordinates = hardware.coordinates(place);
        for (std::size_t axis = 0; axis < hardware.bounds.size(); ++axis) {
            complete = complete && coordinates[axis] < hardware.bounds[axis];
            index = index * hardware.bounds[axis] + coordinates[axis];
        }
        complete = complete && ids[static_cast<std::size_t>(index)] < 0;
        if (complete)
            ids[static_cast<std::size_t>(index)] = place.id;
    });
    if (!complete)
        return incomplete();
    return ids;
}

} // namespace

HardwareMesh hardwareCoordinates(const DevicePlace& device)
{
    return { device.coordinates[0], device.coordinates[1], device.coordinates[2], device.core };
}

HardwareMesh boundsFromLastDevice(const DevicePlace& last)
{
    HardwareMesh bounds = hardwareCoordinates(last);
    for (std::int32_t& bound : bounds)
        ++bound;
    return bounds;
}

HardwareMesh boundsFromLastDevice(HostCounts counts)
{
    return { counts.processes, counts.localDevices };
}

HostCounts hostCounts(const DeviceList& devices)
{
    std::vector<std::int32_t> processes;
    HostCounts counts{ 0, 0 };
    devices.forEach([&](const DevicePlace& place) {
        if (processes.empty() || processes.back() != place.process)
            processes.push_back(place.process);
        counts.localDevices += place.process == 0 ? 1 : 0;
    });
    std::sort(processes.begin(), processes.end());
    counts.processes = static_cast<std::int32_t>(std::unique(processes.begin(), processes.end()) - processes.begin());
    counts.localDevices = std::max(counts.localDevices, 1);
    return counts;
}

T5xHardware::T5xHardware(const DeviceList& devices)
    : hasCoordinates(devices.set().hasCoordinates())
{
    if (!hasCoordinates) {
        counts = hostCounts(devices);
        bounds = hostBounds = boundsFromLastDevice(counts);
        return;
    }
    std::array<std::int32_t, 4> last{};
    std::array<std::int32_t, 4> lastOfHost{};
    devices.forEach([&](const DevicePlace& place) {
        const std::array<std::int32_t, 4> corner = coordinates(place);
        last = std::max(last, corner);
        if (place.process == 0)
            lastOfHost = std::max(lastOfHost, corner);
    });
    const auto toBounds = [](const std::array<std::int32_t, 4>& corner) {
        return boundsFromLastDevice(DevicePlace{ 0, 0, { corner[0], corner[1], corner[2] }, corner[3], 0 });
    };
    bounds = toBounds(last);
    hostBounds = toBounds(lastOfHost);
}

std::array<std::int32_t, 4> T5xHardware::coordinates(const DevicePlace& device) const
{
    if (hasCoordinates)
        return { device.coordinates[0], device.coordinates[1], device.coordinates[2], device.core };
    return { device.process, device.id % counts.localDevices, 0, 0 };
}

Result<SubmeshReason> planSubmesh(const T5xHardware& hardware, const HardwareMesh& submesh, bool tileByHost)
{
    SubmeshReason plan{ hardware.bounds, hardware.hostBounds, submesh, Order::Plain, {} };
    const HardwareMesh& g = plan.bounds;
    const HardwareMesh& l = plan.hostBounds;
    if (submesh.size() != g.size())
        return refuse(Code::SubmeshRank, plan);
    for (std::size_t i = 0; i < g.size(); ++i) {
        if (submesh[i] == 0)
            return refuse(Code::ZeroDivision, plan);
        if (submesh[i] < 0 || g[i] % submesh[i] != 0)
            return refuse(Code::SubmeshNotFactor, plan);
    }
    for (std::size_t i = 0; i < g.size(); ++i)
        if (g[i] % l[i] != 0)
            return refuse(Code::HostNotFactor, plan);
    if (g.size() == 4) {
        const bool alongX = isRowOrPlane(plan, 0);
        if (alongX || isRowOrPlane(plan, 1)) {
            if (submesh[3] != g[3])
                return refuse(Code::ZMajorNeedsAllCores, plan);
            plan.order = alongX ? Order::ZMajorInYZ : Order::ZMajorInXZ;
            return plan;
        }
    }
    if (!tileByHost)
        return plan;
    plan.order = Order::TiledByHost;
    for (std::size_t i = 0; i < g.size(); ++i)
        if (std::max(submesh[i], l[i]) % std::min(submesh[i], l[i]) != 0)
            return refuse(Code::HostTiling, plan);
    return plan;
}

std::vector<HardwareMesh> workingSubmeshes(
    const T5xHardware& hardware, const HardwareMesh& wanted, std::int64_t size, bool tileByHost)
{
    constexpr std::size_t limit = 3;
    if (volume(hardware.bounds) > maximumDevices)
        return {};
    const MeshShape bounds(hardware.bounds.begin(), hardware.bounds.end());
    MeshShape near(wanted.begin(), wanted.end());
    near.resize(bounds.size(), 1);
    for (std::size_t i = 0; i < near.size(); ++i)
        near[i] = std::clamp<std::int64_t>(near[i], 1, maximumDevices);

    std::vector<MeshShape> all{ {} };
    for (const std::int64_t bound : bounds) {
        std::vector<MeshShape> longer;
        for (const MeshShape& shape : all) {
            for (const std::int64_t divisor : divisorsOf(bound)) {
                longer.push_back(shape);
                longer.back().push_back(divisor);
            }
        }
        all = std::move(longer);
    }
    const auto rank = [&](const MeshShape& shape) {
        const double offSize = shapeDistance({ productOf(shape) }, { std::max<std::int64_t>(size, 1) });
        return std::pair(std::round(offSize * 1e6), std::round(shapeDistance(shape, near) * 1e6));
    };
    std::vector<std::pair<std::pair<double, double>, MeshShape>> ranked;
    for (MeshShape& shape : all) {
        const auto key = rank(shape);
        ranked.emplace_back(key, std::move(shape));
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<HardwareMesh> found;
    for (const auto& [key, shape] : ranked) {
        if (found.size() == limit)
            break;
        const HardwareMesh candidate(shape.begin(), shape.end());
        if (candidate != wanted && planSubmesh(hardware, candidate, tileByHost))
            found.push_back(candidate);
    }
    return found;
}

Result<DeviceArray> t5xMesh(const DeviceList& devices, const HardwareMesh& submesh, bool tileByHostIfNeeded)
{
    const T5xHardware hardware(devices);
    Result<SubmeshReason> plan = planSubmesh(hardware, submesh, tileByHostIfNeeded);
    if (!plan) {
        std::vector<std::string> texts;
        for (const HardwareMesh& works : workingSubmeshes(hardware, submesh, volume(submesh), tileByHostIfNeeded))
            texts.push_back(shapeText(works));
        plan.error().args.push_back({ "submeshes", std::move(texts) });
        if (tileByHostIfNeeded && planSubmesh(hardware, submesh, false))
            plan.error().args.push_back({ "untiled", 1 });
        return tl::unexpected(std::move(plan.error()));
    }
    if (hardware.hasCoordinates) {
        const std::int32_t slice = devices[0].slice;
        bool oneSlice = true;
        devices.forEach([&](const DevicePlace& place) { oneSlice = oneSlice && place.slice == slice; });
        if (!oneSlice)
            return fail(Code::MultiSlice, { { "product", devices.size() }, { "slices", devices.set().slices } });
    }
    SHARDSCOPE_TRY(ids, placed(devices, hardware));

    const HardwareMesh& g = plan->bounds;
    const MeshShape strides = meshStrides(MeshShape(g.begin(), g.end()));
    std::vector<std::size_t> order(g.size());
    std::iota(order.begin(), order.end(), std::size_t{ 0 });
    if (plan->order == Order::ZMajorInYZ)
        std::swap(order[1], order[2]);
    else if (plan->order == Order::ZMajorInXZ)
        std::swap(order[0], order[2]);
    std::vector<Parts> parts; // of each dimension: along data, then along model
    for (const std::size_t i : order)
        parts.push_back(plan->order == Order::TiledByHost
                ? tiledParts(strides[i], g[i], submesh[i], plan->hostBounds[i])
                : partsOf(strides[i], { g[i] / submesh[i], submesh[i] }));
    std::vector<StridedAxis> axes;
    for (std::size_t part = 0; part < parts.front().size(); ++part)
        for (const Parts& dimension : parts)
            axes.push_back(dimension[part]);
    const std::int64_t model = volume(submesh);
    DeviceArray array{ { devices.size() / model, model }, { "data", "model" }, gatherStrided(*ids, axes), {} };
    array.reason.rule = OrderRule::Submesh;
    array.reason.kind = devices.set().kind;
    array.reason.submesh = std::move(*plan);
    return array;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in t5x_mesh.h.
#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/codes.h"
#include "mesh/device_mesh.h"
#include "mesh/nearest_shapes.h"
#include "mesh/t5x_submesh.h"

namespace shardscope {

namespace {

DeviceArray named(DeviceArray array)
{
    array.names = { "data", "model" };
    return array;
}

/// The shapes inside hosts and over hosts, or the error.
struct GpuShapes {
    MeshShape inner;
    MeshShape outer;
};

Result<GpuShapes> gpuShapes(HostCounts counts, std::int64_t partitions)
{
    const auto refuse = [&](Code code) {
        return fail(
            code, { { "partitions", partitions }, { "hosts", counts.processes }, { "local", counts.localDevices } });
    };
    if (partitions < 1)
        return refuse(Code::ZeroDivision);
    const std::int64_t local = counts.localDevices;
    const std::int64_t modelInside = std::min(partitions, local);
    if (local % modelInside != 0 || partitions % modelInside != 0)
        return refuse(Code::GpuPartitions);
    const std::int64_t modelOver = partitions / modelInside;
    const std::int64_t dataOver = counts.processes / modelOver;
    if (dataOver * modelOver != counts.processes)
        return refuse(Code::DcnShapeMismatch);
    return GpuShapes{ { local / modelInside, modelInside }, { dataOver, modelOver } };
}

/// Numbers that work, nearest to what was asked for.
std::vector<std::string> nearestNumbers(std::vector<std::int64_t> works, std::int64_t wanted)
{
    constexpr std::size_t limit = 4;
    wanted = std::clamp(wanted, -maximumDevices, 2 * maximumDevices); // so that differences fit
    std::stable_sort(works.begin(), works.end(),
        [&](std::int64_t a, std::int64_t b) { return std::abs(a - wanted) < std::abs(b - wanted); });
    works.resize(std::min(works.size(), limit));
    std::sort(works.begin(), works.end());
    std::vector<std::string> texts;
    for (const std::int64_t number : works)
        texts.push_back(std::to_string(number));
    return texts;
}

} // namespace

std::optional<HardwareMesh> t5xDefaultSubmesh(
    std::string_view kind, const HardwareMesh& bounds, std::int64_t partitions)
{
    if (kind == "TPU v2" || kind == "TPU v3") {
        switch (partitions) {
        case 1:
            return HardwareMesh{ 1, 1, 1, 1 };
        case 2:
            return HardwareMesh{ 1, 1, 1, 2 };
        case 4:
            return HardwareMesh{ 2, 1, 1, 2 };
        case 8:
            return HardwareMesh{ 2, 2, 1, 2 };
        case 16:
            return HardwareMesh{ 4, 2, 1, 2 };
        default:
            return std::nullopt;
        }
    }
    // One device per chip is taken for granted on TPU v4.
    if ((kind != "TPU v4" && kind != "TPU v4 lite") || bounds.size() != 4 || bounds[3] != 1)
        return std::nullopt;
    switch (partitions) {
    case 1:
        return HardwareMesh{ 1, 1, 1, 1 };
    case 2:
        return HardwareMesh{ 1, 2, 1, 1 };
    case 4:
        return bounds[0] >= 4 ? HardwareMesh{ 4, 1, 1, 1 } : HardwareMesh{ 2, 2, 1, 1 };
    case 8:
        return bounds[2] >= 8 ? HardwareMesh{ 1, 1, 8, 1 } : HardwareMesh{ 4, 2, 1, 1 };
    case 16:
        if (bounds[2] >= 16)
            return HardwareMesh{ 1, 1, 16, 1 };
        if (bounds[0] >= 8)
            return HardwareMesh{ 8, 2, 1, 1 };
        return bounds[0] >= 4 ? HardwareMesh{ 4, 4, 1, 1 } : HardwareMesh{ 2, 2, 4, 1 };
    default:
        return std::nullopt;
    }
}

Result<DeviceArray> t5xCpuMesh(const DeviceList& devices)
{
    const HostCounts counts = hostCounts(devices);
    const std::int64_t places = std::int64_t{ counts.processes } * counts.localDevices;
    const auto incomplete = [&] {
        return fail(Code::DevicesDoNotFillBox,
            { { "box", shapeText(boundsFromLastDevice(counts)) }, { "places", places }, { "devices", devices.size() },
                { "hosts", counts.processes }, { "local", counts.localDevices } });
    };
    if (places != devices.size())
        return incomplete();
    DeviceArray array{ { counts.processes, counts.localDevices }, {},
        std::vector<std::int32_t>(static_cast<std::size_t>(places), -1), {} };
    bool complete = true;
    devices.forEach([&](const DevicePlace& place) {
        complete = complete && place.process < counts.processes;
        const std::int64_t at = std::int64_t{ place.process } * counts.localDevices + place.id % counts.localDevices;
        if (complete && array.ids[static_cast<std::size_t>(at)] < 0)
            array.ids[static_cast<std::size_t>(at)] = place.id;
        else
            complete = false;
    });
    if (!complete)
        return incomplete();
    array.reason.rule = OrderRule::HostGrid;
    array.reason.kind = devices.set().kind;
    return named(std::move(array));
}

Result<DeviceArray> t5xGpuMesh(const DeviceList& devices, std::int64_t partitions, MeshUtilsVersion version)
{
    const HostCounts counts = hostCounts(devices);
    Result<GpuShapes> shapes = gpuShapes(counts, partitions);
    if (!shapes) {
        std::vector<std::int64_t> candidates = divisorsOf(counts.localDevices); // a part of a host, or whole hosts
        for (const std::int64_t hosts : divisorsOf(counts.processes))
            if (hosts > 1)
                candidates.push_back(hosts * counts.localDevices);
        std::vector<std::int64_t> works;
        std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(works),
            [&](std::int64_t number) { return gpuShapes(counts, number).has_value(); });
        shapes.error().args.push_back({ "partitions_list", nearestNumbers(std::move(works), partitions) });
        return tl::unexpected(std::move(shapes.error()));
    }
    SHARDSCOPE_TRY(
        array, createHybridDeviceMesh(shapes->inner, shapes->outer, devices, { true, true, false, version }));
    return named(std::move(*array));
}

Result<DeviceArray> t5xDefaultMesh(const DeviceList& devices, const T5xDefaultOptions& options)
{
    if (options.ici && options.dcn) {
        SHARDSCOPE_TRY(array,
            createHybridDeviceMesh(*options.ici, *options.dcn, devices, { false, true, false, options.version }));
        if (array->shape.size() != 3)
            return fail(Code::AxisNamesLength, { { "names", 3 }, { "axes", array->shape.size() } });
        array->names = { "replica", "data", "model" };
        return array;
    }
    if (!options.submesh.empty())
        return t5xMesh(devices, options.submesh);
    const DeviceSet& set = devices.set();
    if (set.platform == "cpu")
        return t5xCpuMesh(devices);
    if (set.platform == "gpu")
        return t5xGpuMesh(devices, options.partitions, options.version);

    const HardwareMesh bounds = boundsFromLastDevice(devices[devices.size() - 1]);
    if (const auto submesh = t5xDefaultSubmesh(set.kind, bounds, options.partitions)) {
        Result<DeviceArray> array = t5xMesh(devices, *submesh);
        if (array)
            array->reason.submesh->partitions = options.partitions;
        return array;
    }
    const T5xHardware hardware(devices);
    std::vector<std::int64_t> works;
    for (const std::int64_t number : { 1, 2, 4, 8, 16 })
        if (const auto submesh = t5xDefaultSubmesh(set.kind, bounds, number);
            submesh && planSubmesh(hardware, *submesh, true))
            works.push_back(number);
    std::vector<std::string> submeshes;
    for (const HardwareMesh& submesh : workingSubmeshes(hardware, {}, options.partitions, true))
        submeshes.push_back(shapeText(submesh));
    return fail(Code::NoDefaultMesh,
        { { "kind", set.kind }, { "partitions", options.partitions }, { "bounds", shapeText(bounds) },
            { "partitions_list", nearestNumbers(std::move(works), options.partitions) },
            { "submeshes", std::move(submeshes) } });
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// t5x_get_mesh, t5x_default_mesh and t5x_cpu_gpu_mesh.
#include <numeric>
#include <random>

#include "conformance/device_forms.h"
#include "conformance/forms.h"
#include "mesh/t5x_mesh.h"

namespace shardscope::conformance {

namespace {

CaseResult refused(const Json& oneCase, const Error& error, Json actual = Json::object())
{
    actual["error"] = errorLike(oneCase.value("error", Json()), error);
    return compareAsserted(oneCase, actual, { "expected", "mesh_shape", "chosen_submesh", "error" });
}

CaseResult compareMesh(const Json& oneCase, const Result<DeviceArray>& array, const DeviceSet& set, const char* hosts)
{
    if (!array)
        return refused(oneCase, array.error());
    CaseResult result = compareAsserted(oneCase, { { "expected", toRows(*array) } }, { "expected", "error" });
    if (result.status != CaseResult::Status::Passed || !oneCase.contains(hosts))
        return result;
    return compareHosts(oneCase.at(hosts), *array, set);
}

DeviceList shuffled(const DeviceList& devices, std::uint32_t seed)
{
    std::vector<std::int32_t> indices(static_cast<std::size_t>(devices.size()));
    std::iota(indices.begin(), indices.end(), 0);
    std::mt19937 random(seed);
    std::shuffle(indices.begin(), indices.end(), random);
    return devices.at(std::move(indices));
}

/// Processes of CPUs or GPUs, in `device_order` [[id, process], ...] if that is given.
DeviceSet hostsOf(const Json& oneCase, const std::string& platform)
{
    if (!oneCase.contains("device_order"))
        return DeviceSet::ofHosts(
            "generic-" + platform, platform, oneCase.at("processes"), oneCase.at("local_devices"));
    std::vector<DevicePlace> places;
    for (const Json& device : oneCase.at("device_order"))
        places.push_back({ device.at(0), device.at(1), {}, 0, 0 });
    return *DeviceSet::ofList("generic-" + platform, platform, std::move(places));
}

DevicePlace tpuOf(const Json& oneCase)
{
    const Json& coordinates = oneCase.at("coords");
    return { 0, 0, { coordinates.at(0), coordinates.at(1), coordinates.at(2) }, oneCase.at("core_on_chip"), 0 };
}

} // namespace

CaseResult checkT5xGetMesh(const Json& oneCase, const Json& file)
{
    const DeviceSet set = toDevices(oneCase, file);
    const DeviceList devices(set);
    const auto submesh = oneCase.at("submesh").get<HardwareMesh>();
    const bool tile = oneCase.at("tile_by_host_if_needed");
    const Result<DeviceArray> array = t5xMesh(devices, submesh, tile);
    CaseResult result = compareMesh(oneCase, array, set, "processes");
    for (std::uint32_t seed = 1; seed <= 2 && result.status == CaseResult::Status::Passed; ++seed)
        result = compareMesh(oneCase, t5xMesh(shuffled(devices, seed), submesh, tile), set, "processes");
    return result;
}

CaseResult checkT5xDefaultMesh(const Json& oneCase, const Json& file)
{
    const DeviceSet set = toDevices(oneCase, file);
    const DeviceList devices(set);
    T5xDefaultOptions options;
    options.partitions = oneCase.at("num_partitions");
    options.submesh = oneCase.value("model_parallel_submesh", HardwareMesh());
    if (set.kind != oneCase.at("device_kind").get<std::string>())
        return CaseResult::unsupported("another kind than the topology's");

    Json actual = Json::object();
    const Result<DeviceArray> array = t5xDefaultMesh(devices, options);
    if (!array) {
        if (!options.submesh.empty())
            actual["chosen_submesh"] = options.submesh;
        else if (const auto chosen =
                     t5xDefaultSubmesh(set.kind, boundsFromLastDevice(devices[devices.size() - 1]), options.partitions))
            actual["chosen_submesh"] = *chosen;
        return refused(oneCase, array.error(), std::move(actual));
    }
    actual["chosen_submesh"] = array->reason.submesh->submesh;
    for (std::size_t axis = 0; axis < array->shape.size(); ++axis)
        actual["mesh_shape"][array->names[axis]] = array->shape[axis];
    constexpr std::int64_t maxWritten = 128;
    if (devices.size() <= maxWritten)
        actual["expected"] = toRows(*array);
    return compareAsserted(oneCase, actual, { "expected", "mesh_shape", "chosen_submesh", "error" });
}

CaseResult checkT5xCpuGpuMesh(const Json& oneCase, const Json&)
{
    const std::string kind = oneCase.at("kind");
    if (kind == "gpu_mesh") {
        const DeviceSet set = hostsOf(oneCase, "gpu");
        return compareMesh(oneCase, t5xGpuMesh(DeviceList(set), oneCase.at("num_partitions")), set, "local");
    }
    if (kind == "cpu_mesh") {
        const DeviceSet set = hostsOf(oneCase, "cpu");
        return compareMesh(oneCase, t5xCpuMesh(DeviceList(set)), set, "local");
    }
    if (kind == "bounds_from_last_device")
        return compareMembers(oneCase,
            { { "expected",
                oneCase.contains("coords") ? boundsFromLastDevice(tpuOf(oneCase))
                                           : boundsFromLastDevice(HostCounts{
                                               oneCase.at("process_count"), oneCase.at("local_device_count") }) } });
    if (kind == "get_coords") {
        if (oneCase.contains("coords"))
            return compareMembers(oneCase, { { "expected", hardwareCoordinates(tpuOf(oneCase)) } });
        // What the mesh of a platform without coordinates is made of.
        const std::int32_t id = oneCase.at("device_id"), local = oneCase.at("local_device_count");
        return compareMembers(
            oneCase, { { "expected", HardwareMesh{ oneCase.at("process_index").get<std::int32_t>(), id % local } } });
    }
    return CaseResult::unsupported("kind " + kind);
}

} // namespace shardscope::conformance

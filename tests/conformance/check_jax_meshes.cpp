// SPDX-License-Identifier: GPL-3.0-or-later
// jax_create_device_mesh, jax_create_hybrid_device_mesh and jax_make_mesh.
#include <numeric>

#include "conformance/device_forms.h"
#include "conformance/forms.h"
#include "mesh/axis_assignment.h"
#include "mesh/device_mesh.h"

namespace shardscope::conformance {

namespace {

const std::vector<std::string> assertedOfArrays{ "result_shape", "ids", "ids_head", "ids_sha1", "physical_shape",
    "assignment", "error" };

/// `device_subset`: [begin, end) of the listing, or {"indices": [...]}.
DeviceList subsetOf(const DeviceSet& set, const Json& oneCase)
{
    const DeviceList all(set);
    if (oneCase.value("device_subset", Json()).is_null())
        return all;
    const Json& subset = oneCase.at("device_subset");
    if (subset.is_object())
        return all.at(subset.at("indices").get<std::vector<std::int32_t>>());
    std::vector<std::int32_t> indices(subset.at(1).get<std::size_t>() - subset.at(0).get<std::size_t>());
    std::iota(indices.begin(), indices.end(), subset.at(0).get<std::int32_t>());
    return all.at(std::move(indices));
}

/// The case's devices: a topology, or `device_ids_in_order` of a platform without one.
DeviceSet devicesOf(const Json& oneCase, const Json& file)
{
    if (!oneCase.contains("device_ids_in_order"))
        return toDevices(oneCase, file);
    std::vector<DevicePlace> places;
    for (const Json& id : oneCase.at("device_ids_in_order"))
        places.push_back({ id, 0, {}, 0, 0 });
    const std::string platform = oneCase.at("platform");
    return *DeviceSet::ofList("generic-" + platform, platform, std::move(places));
}

CaseResult failedOr(const Json& oneCase, const Error& error)
{
    return compareAsserted(
        oneCase, { { "error", errorLike(oneCase.value("error", Json()), error) } }, assertedOfArrays);
}

CaseResult compareArray(const Json& oneCase, const Result<DeviceArray>& array)
{
    if (!array)
        return failedOr(oneCase, array.error());
    Json actual = toJson(*array, oneCase);
    if (const auto& assignment = array->reason.assignment) {
        for (std::size_t i = 0; i < assignment->physical.size(); ++i) {
            Json shares = Json::array();
            for (std::size_t j = 0; j < assignment->rank(); ++j)
                shares.push_back(assignment->share(i, j));
            actual["assignment"].push_back(std::move(shares));
            actual["physical_shape"].push_back(assignment->physical[i].size);
        }
    }
    return compareAsserted(oneCase, actual, assertedOfArrays);
}

CaseResult checkCreateDeviceMesh(const Json& oneCase, const Json& file)
{
    // A shape may hold anything: read it as the text that a person would write.
    const Result<MeshShape> shape = parseMeshShape(oneCase.at("mesh_shape").dump());
    if (!shape)
        return failedOr(oneCase, shape.error());
    const DeviceSet set = devicesOf(oneCase, file);
    const DeviceMeshOptions options{ oneCase.value("contiguous_submeshes", false),
        oneCase.value("allow_split_physical_axes", false), MeshUtilsVersion::Head };
    return compareArray(oneCase, createDeviceMesh(*shape, subsetOf(set, oneCase), options));
}

CaseResult checkPhysicalMesh(const Json& oneCase, const Json& file)
{
    const DeviceSet set = devicesOf(oneCase, file);
    const Result<PhysicalMesh> mesh = physicalTpuMesh(subsetOf(set, oneCase));
    if (!mesh)
        return failedOr(oneCase, mesh.error());
    Json actual{ { "result_shape", mesh->shape() } };
    addIds(actual, mesh->ids, oneCase);
    return compareAsserted(oneCase, actual, assertedOfArrays);
}

CaseResult checkLogicalMesh(const Json& oneCase)
{
    const auto physical = oneCase.at("physical").get<MeshShape>();
    std::vector<std::int64_t> assignment;
    for (const Json& row : oneCase.at("assignment"))
        for (const Json& share : row)
            assignment.push_back(share);
    std::int64_t count = 1;
    for (const std::int64_t size : physical)
        count *= size;
    std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    Json actual = Json::object();
    addIds(actual, inLogicalOrder(ids, physical, meshStrides(physical), assignment), oneCase);
    return compareAsserted(oneCase, actual, { "ids", "ids_head", "ids_sha1" });
}

std::vector<std::int64_t> primeFactors(std::int64_t number)
{
    std::vector<std::int64_t> factors;
    for (std::int64_t factor = 2; factor * factor <= number; ++factor)
        for (; number % factor == 0; number /= factor)
            factors.push_back(factor);
    if (number > 1)
        factors.push_back(number);
    return factors;
}

} // namespace

CaseResult checkJaxCreateDeviceMesh(const Json& oneCase, const Json& file)
{
    const std::string kind = oneCase.at("kind");
    if (kind == "create_device_mesh")
        return checkCreateDeviceMesh(oneCase, file);
    if (kind == "physical_tpu_mesh")
        return checkPhysicalMesh(oneCase, file);
    if (kind == "generate_logical_mesh")
        return checkLogicalMesh(oneCase);
    if (kind == "prime_factors")
        return compareMembers(oneCase, { { "expected", primeFactors(oneCase.at("n")) } });
    if (kind == "feasible_axis_assignments")
        return compareMembers(oneCase,
            { { "expected_sorted",
                feasibleAssignments(oneCase.at("physical").get<MeshShape>(),
                    oneCase.at("already_assigned").get<MeshShape>(), oneCase.at("logical_axis_size")) } });
    if (kind == "prefer_first")
        return compareMembers(oneCase,
            { { "expected",
                isPreferred(oneCase.at("x").get<MeshShape>(), oneCase.at("y").get<MeshShape>(),
                    oneCase.at("physical").get<MeshShape>(), oneCase.at("assigned").get<MeshShape>()) } });
    return CaseResult::unsupported("kind " + kind);
}

CaseResult checkJaxCreateHybridDeviceMesh(const Json& oneCase, const Json& file)
{
    if (oneCase.at("kind") != "create_hybrid_device_mesh")
        return CaseResult::unsupported("kind " + oneCase.at("kind").get<std::string>());
    const DeviceSet set = toDevices(oneCase, file);
    DeviceList devices(set);
    if (oneCase.value("slices_reversed_in_input", false)) {
        std::vector<std::int32_t> indices(static_cast<std::size_t>(devices.size()));
        std::iota(indices.begin(), indices.end(), 0);
        std::stable_sort(indices.begin(), indices.end(),
            [&](std::int32_t a, std::int32_t b) { return devices[a].slice > devices[b].slice; });
        devices = devices.at(std::move(indices));
    }
    const HybridMeshOptions options{ oneCase.at("process_is_granule"), oneCase.at("should_sort_granules_by_key"),
        oneCase.at("allow_split_physical_axes"), MeshUtilsVersion::Head };
    const Result<DeviceArray> array = createHybridDeviceMesh(
        oneCase.at("mesh_shape").get<MeshShape>(), oneCase.at("dcn_mesh_shape").get<MeshShape>(), devices, options);
    return compareArray(oneCase, array);
}

CaseResult checkJaxMakeMesh(const Json& oneCase, const Json& file)
{
    const DeviceSet set = toDevices(oneCase, file);
    const Result<DeviceArray> array = makeMesh(oneCase.at("axis_sizes").get<MeshShape>(),
        oneCase.at("axis_names").get<std::vector<std::string>>(), DeviceList(set));
    if (!array)
        return failedOr(oneCase, array.error());
    return compareAsserted(oneCase, toJson(*array, oneCase), assertedOfArrays);
}

} // namespace shardscope::conformance

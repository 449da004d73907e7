// SPDX-License-Identifier: GPL-3.0-or-later
// T5X's meshes against a calculation that composes the place of every device of its coordinates, and their failures
// against what they recommend.
#include <QtTest>

#include <limits>
#include <set>

#include "base/codes.h"
#include "machines.h"
#include "mesh/device_places.h"
#include "mesh/host_block.h"
#include "mesh/submesh_failure.h"
#include "mesh/t5x_mesh.h"
#include "registered_test.h"

using namespace shardscope;

using SubmeshOrder = SubmeshReason::Order;

class TestT5xMesh : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void againstCoordinates();
    void rowsAreTilesOfTheSubmesh();
    void suggestionsWork();
    void whereTheyFail();
    void ordersOfAxes();
    void tableOfDefaults();
    void defaultMeshes();
    void defaultFailures();
    void hostsWithoutCoordinates();
    void gpuPartitions();
    void cpuGrids();
    void incompleteMachines();
    void hostBlocksAgainstSets();
    void hostBlockFailures();
    void largeMachines();
};

namespace {

std::array<std::int32_t, 4> corner(const DevicePlace& place)
{
    return { place.coordinates[0], place.coordinates[1], place.coordinates[2], place.core };
}

/// Index of a device in the mesh, written down from the rule: each coordinate falls into digits, and an axis of the
/// mesh is made of the digits of all dimensions in turn.
std::pair<std::int64_t, std::int64_t> placeOf(const DevicePlace& device, const SubmeshReason& reason)
{
    std::vector<std::size_t> dimensions{ 0, 1, 2, 3 };
    if (reason.order == SubmeshOrder::ZMajorInYZ)
        dimensions = { 0, 2, 1, 3 };
    if (reason.order == SubmeshOrder::ZMajorInXZ)
        dimensions = { 2, 1, 0, 3 };
    std::int64_t data = 0;
    std::int64_t model = 0;
    const auto c = corner(device);
    if (reason.order != SubmeshOrder::TiledByHost) {
        for (const std::size_t d : dimensions) {
            data = data * (reason.bounds[d] / reason.submesh[d]) + c[d] / reason.submesh[d];
            model = model * reason.submesh[d] + c[d] % reason.submesh[d];
        }
        return { data, model };
    }
    for (const bool hosts : { true, false }) {
        for (const std::size_t d : dimensions) {
            const std::int32_t m = reason.submesh[d];
            const std::int32_t l = reason.hostBounds[d];
            const std::int32_t larger = std::max(m, l);
            // Along data: blocks as large as the larger of tile and host, then tiles inside a host.
            data = hosts ? data * (reason.bounds[d] / larger) + c[d] / larger : data * (larger / m) + c[d] % larger / m;
            // Along model: hosts inside a tile, then devices of a host.
            const std::int32_t smaller = std::min(m, l);
            model = hosts ? model * (m / smaller) + c[d] % m / smaller : model * smaller + c[d] % smaller;
        }
    }
    return { data, model };
}

struct Machine {
    DeviceSet set;
    HardwareMesh bounds;
};

/// Machines of one and two cores, with hosts of several forms.
std::vector<Machine> machines()
{
    using Three = std::array<std::int32_t, 3>;
    struct Form {
        Three chips;
        Three hosts;
        std::int32_t cores;
    };
    std::vector<Machine> all;
    for (const Form& form :
        { Form{ { 4, 4, 1 }, { 2, 2, 1 }, 2 }, Form{ { 4, 4, 2 }, { 2, 2, 1 }, 1 }, Form{ { 2, 4, 4 }, { 1, 2, 1 }, 1 },
            Form{ { 4, 2, 4 }, { 2, 1, 2 }, 2 }, Form{ { 6, 2, 1 }, { 3, 2, 1 }, 2 },
            Form{ { 6, 4, 1 }, { 2, 2, 1 }, 1 }, Form{ { 1, 4, 4 }, { 1, 2, 1 }, 1 },
            Form{ { 3, 2, 2 }, { 1, 2, 1 }, 1 }, Form{ { 4, 1, 1 }, { 4, 1, 1 }, 1 } })
        all.push_back({ *DeviceSet::ofChips("TPU v3", form.chips, form.hosts, form.cores),
            { form.chips[0], form.chips[1], form.chips[2], form.cores } });
    return all;
}

/// Every submesh whose entries are `from` to `last` each.
template <class Last>
std::vector<HardwareMesh> submeshes(std::int32_t from, const Last& last)
{
    std::vector<HardwareMesh> all;
    for (std::int32_t x = from; x <= last(0); ++x)
        for (std::int32_t y = from; y <= last(1); ++y)
            for (std::int32_t z = from; z <= last(2); ++z)
                for (std::int32_t c = from; c <= last(3); ++c)
                    all.push_back({ x, y, z, c });
    return all;
}

std::vector<HardwareMesh> dividing(const HardwareMesh& bounds)
{
    std::vector<HardwareMesh> all = submeshes(1, [&](std::size_t i) { return bounds[i]; });
    std::erase_if(all, [&](const HardwareMesh& submesh) {
        for (std::size_t i = 0; i < 4; ++i)
            if (bounds[i] % submesh[i] != 0)
                return true;
        return false;
    });
    return all;
}

std::vector<HardwareMesh> submeshesOf(const Error& error)
{
    std::vector<HardwareMesh> submeshes;
    for (const MeshShape& shape : shapesOf(error, "submeshes"))
        submeshes.emplace_back(shape.begin(), shape.end());
    return submeshes;
}

} // namespace

void TestT5xMesh::againstCoordinates()
{
    std::map<SubmeshOrder, int> seen;
    for (const Machine& machine : machines()) {
        const DeviceList devices(machine.set);
        for (const HardwareMesh& submesh : dividing(machine.bounds)) {
            for (const bool tile : { true, false }) {
                const Result<DeviceArray> array = t5xMesh(devices, submesh, tile);
                if (!array)
                    continue;
                QVERIFY(isPermutation(*array, devices));
                const SubmeshReason& reason = *array->reason.submesh;
                const auto at = positions(*array);
                for (std::int64_t i = 0; i < devices.size(); ++i) {
                    const auto [data, model] = placeOf(devices[i], reason);
                    QCOMPARE(at.at(devices[i].id), data * array->shape[1] + model);
                }
                ++seen[reason.order];
            }
        }
    }
    QCOMPARE(seen.size(), std::size_t{ 4 }); // all orders came up
}

void TestT5xMesh::rowsAreTilesOfTheSubmesh()
{
    for (const Machine& machine : machines()) {
        for (const HardwareMesh& submesh : dividing(machine.bounds)) {
            const Result<DeviceArray> array = t5xMesh(DeviceList(machine.set), submesh);
            if (!array)
                continue;
            const auto columns = static_cast<std::size_t>(array->shape[1]);
            for (std::size_t row = 0; row < array->ids.size(); row += columns) {
                std::array<std::int32_t, 4> low = corner(machine.set.place(array->ids[row]));
                std::array<std::int32_t, 4> high = low;
                for (std::size_t i = row; i < row + columns; ++i) {
                    const auto c = corner(machine.set.place(array->ids[i]));
                    for (std::size_t d = 0; d < 4; ++d) {
                        low[d] = std::min(low[d], c[d]);
                        high[d] = std::max(high[d], c[d]);
                    }
                }
                for (std::size_t d = 0; d < 4; ++d)
                    QCOMPARE(high[d] - low[d] + 1, submesh[d]);
            }
        }
    }
}

void TestT5xMesh::suggestionsWork()
{
    std::map<Code, int> seen;
    for (const Machine& machine : machines()) {
        const DeviceList devices(machine.set);
        for (const HardwareMesh& submesh : submeshes(0, [](std::size_t i) { return i == 3 ? 2 : 5; })) {
            const Result<DeviceArray> array = t5xMesh(devices, submesh);
            if (array)
                continue;
            if (++seen[array.error().code] > 200)
                continue;
            QVERIFY(!submeshesOf(array.error()).empty());
            for (const HardwareMesh& works : submeshesOf(array.error())) {
                QVERIFY(works != submesh);
                QVERIFY(t5xMesh(devices, works));
            }
            QCOMPARE(array.error().arg("untiled") != nullptr, t5xMesh(devices, submesh, false).has_value());
        }
    }
    for (const Code code : { Code::SubmeshNotFactor, Code::HostTiling, Code::ZeroDivision, Code::ZMajorNeedsAllCores })
        QVERIFY2(seen[code] > 0, codeRow(code).kind.data());

    // A host block that does not divide the machine cannot be helped by any submesh.
    std::vector<DevicePlace> places;
    for (std::int32_t x = 0; x < 6; ++x)
        places.push_back({ x, x / 4, { x, 0, 0 }, 0, 0 });
    const DeviceSet uneven = *DeviceSet::ofList("TPU v4", "tpu", places);
    const Error error = t5xMesh(DeviceList(uneven), { 1, 1, 1, 1 }).error();
    QCOMPARE(error.code, Code::HostNotFactor);
    QVERIFY(submeshesOf(error).empty() && !error.arg("untiled"));
    QCOMPARE(t5xMesh(DeviceList(uneven), { 2, 1 }).error().code, Code::SubmeshRank);
}

/// What is shown of a failure: the devices of the first tile, and those that are in its way.
void TestT5xMesh::whereTheyFail()
{
    using Cause = SubmeshFailure::Cause;
    const DeviceSet cube = machine("TPU v4", { 4, 4, 4 });
    const auto left = submeshFailure(cube, { 3, 8, 1, 1 }, Code::SubmeshNotFactor);
    QVERIFY(left && left->onChips);
    QCOMPARE(left->first.size(), std::size_t{ 12 }); // 3 × 4: the rest of the 8 is not there
    QCOMPARE(left->parts.size(), std::size_t{ 2 });
    QCOMPARE(left->parts[0].cause, Cause::LeftOver);
    QCOMPARE(left->parts[0].devices.size(), std::size_t{ 16 }); // x 3
    for (const std::int32_t id : left->parts[0].devices)
        QCOMPARE(DevicePlaces(cube)[id].coordinates[0], 3);
    QCOMPARE(left->parts[1].cause, Cause::TooLong);
    QVERIFY(left->parts[1].axis == 1 && left->parts[1].asked == 8 && left->parts[1].there == 4);
    QVERIFY(left->parts[1].devices.empty());

    // Hosts of 2 × 2 chips: a tile of 3 along x ends inside the second one.
    const DeviceSet six = machine("TPU v4", { 6, 2, 2 });
    const HardwareMesh three{ 3, 2, 2, 1 };
    QCOMPARE(t5xMesh(DeviceList(six), three).error().code, Code::HostTiling);
    const auto sharded = submeshFailure(six, three, Code::HostTiling);
    QVERIFY(sharded.has_value());
    QCOMPARE(sharded->parts.size(), std::size_t{ 1 });
    QCOMPARE(sharded->parts[0].cause, Cause::SplitHosts);
    for (const std::int32_t id : sharded->parts[0].devices)
        QCOMPARE(DevicePlaces(six)[id].coordinates[0] / 2, 1);
    QCOMPARE(sharded->parts[0].devices.size(), std::size_t{ 8 });

    QVERIFY(!submeshFailure(cube, { 3, 1 }, Code::SubmeshNotFactor)); // another rank
    QVERIFY(!submeshFailure(cube, { 3, 1, 1, 1 }, Code::MultiSlice));
    QVERIFY(!submeshFailure(cube, { 0, 2, 2, 1 }, Code::HostTiling));
}

void TestT5xMesh::ordersOfAxes()
{
    const auto orderOf = [](std::array<std::int32_t, 3> chips, HardwareMesh submesh) {
        const DeviceSet set = machine("TPU v4", chips);
        return t5xMesh(DeviceList(set), submesh)->reason.submesh->order;
    };
    QCOMPARE(orderOf({ 4, 4, 4 }, { 4, 1, 1, 1 }), SubmeshOrder::ZMajorInYZ); // a row along x
    QCOMPARE(orderOf({ 4, 4, 4 }, { 1, 4, 4, 1 }), SubmeshOrder::ZMajorInYZ); // a plane across x
    QCOMPARE(orderOf({ 4, 4, 4 }, { 1, 4, 1, 1 }), SubmeshOrder::ZMajorInXZ);
    QCOMPARE(orderOf({ 4, 4, 4 }, { 4, 1, 4, 1 }), SubmeshOrder::ZMajorInXZ);
    QCOMPARE(orderOf({ 4, 4, 4 }, { 1, 1, 4, 1 }), SubmeshOrder::TiledByHost);
    QCOMPARE(orderOf({ 4, 4, 4 }, { 4, 4, 1, 1 }), SubmeshOrder::TiledByHost);
    // A side of one chip is neither a row nor the side of a plane.
    QCOMPARE(orderOf({ 1, 4, 4 }, { 1, 1, 1, 1 }), SubmeshOrder::TiledByHost);
    QCOMPARE(orderOf({ 4, 4, 1 }, { 1, 4, 1, 1 }), SubmeshOrder::ZMajorInXZ);
    QCOMPARE(orderOf({ 4, 1, 4 }, { 1, 1, 4, 1 }), SubmeshOrder::TiledByHost);
}

void TestT5xMesh::tableOfDefaults()
{
    using Row = std::optional<HardwareMesh>;
    const HardwareMesh flat{ 4, 4, 1, 1 };
    QCOMPARE(t5xDefaultSubmesh("TPU v2", { 1, 1, 1, 2 }, 16), (Row{ { 4, 2, 1, 2 } })); // whether it fits or not
    QCOMPARE(t5xDefaultSubmesh("TPU v3", { 4, 4, 1, 2 }, 4), (Row{ { 2, 1, 1, 2 } }));
    QCOMPARE(t5xDefaultSubmesh("TPU v4", flat, 4), (Row{ { 4, 1, 1, 1 } }));
    QCOMPARE(t5xDefaultSubmesh("TPU v4", { 2, 2, 4, 1 }, 4), (Row{ { 2, 2, 1, 1 } }));
    QCOMPARE(t5xDefaultSubmesh("TPU v4", { 4, 4, 8, 1 }, 8), (Row{ { 1, 1, 8, 1 } }));
    QCOMPARE(t5xDefaultSubmesh("TPU v4", { 8, 8, 16, 1 }, 16), (Row{ { 1, 1, 16, 1 } }));
    QCOMPARE(t5xDefaultSubmesh("TPU v4 lite", { 8, 8, 8, 1 }, 16), (Row{ { 8, 2, 1, 1 } }));
    for (const std::int64_t partitions : { -1, 0, 3, 6, 32 }) {
        QVERIFY(!t5xDefaultSubmesh("TPU v4", flat, partitions));
        QVERIFY(!t5xDefaultSubmesh("TPU v3", { 4, 4, 1, 2 }, partitions));
    }
    QVERIFY(!t5xDefaultSubmesh("TPU v4", { 4, 4, 1, 2 }, 2) && !t5xDefaultSubmesh("TPU v5p", flat, 2));
}

void TestT5xMesh::defaultMeshes()
{
    const DeviceSet v4 = machine("TPU v4", { 4, 4, 4 });
    T5xDefaultOptions options;
    options.partitions = 4;
    const Result<DeviceArray> byTable = t5xDefaultMesh(DeviceList(v4), options);
    QVERIFY(byTable);
    QCOMPARE(byTable->reason.submesh->partitions, std::optional<std::int64_t>(4));
    QCOMPARE(byTable->names, (std::vector<std::string>{ "data", "model" }));
    options.submesh = { 2, 2, 1, 1 }; // takes precedence
    const Result<DeviceArray> specified = t5xDefaultMesh(DeviceList(v4), options);
    QCOMPARE(specified->reason.submesh->submesh, options.submesh);
    QVERIFY(!specified->reason.submesh->partitions);
    options.ici = MeshShape{ 1, 16, 4 };
    QVERIFY(t5xDefaultMesh(DeviceList(v4), options)->reason.submesh); // without a DCN shape it plays no part
    options.dcn = MeshShape{ 1, 1, 1 };
    const Result<DeviceArray> hybrid = t5xDefaultMesh(DeviceList(v4), options);
    QCOMPARE(hybrid->names, (std::vector<std::string>{ "replica", "data", "model" }));
    QCOMPARE(hybrid->reason.rule, OrderRule::Granules);
    options.ici = MeshShape{ 16, 4 };
    options.dcn = MeshShape{ 1, 1 };
    QCOMPARE(t5xDefaultMesh(DeviceList(v4), options).error().code, Code::AxisNamesLength);

    const DeviceSet cpus = DeviceSet::ofHosts("generic-cpu", "cpu", 2, 4);
    QCOMPARE(t5xDefaultMesh(DeviceList(cpus), { 3, {}, {}, {}, MeshUtilsVersion::Head })->shape, (MeshShape{ 2, 4 }));
    const DeviceSet gpus = DeviceSet::ofHosts("generic-gpu", "gpu", 2, 4);
    QCOMPARE(t5xDefaultMesh(DeviceList(gpus), { 2, {}, {}, {}, MeshUtilsVersion::Head })->shape, (MeshShape{ 4, 2 }));
}

void TestT5xMesh::defaultFailures()
{
    for (const char* kind : { "TPU v5 lite", "TPU v4", "TPU v3" }) {
        const std::int32_t cores = std::string(kind) == "TPU v3" ? 2 : 1;
        const DeviceSet set = machine(kind, { 4, 4, 1 }, cores);
        const DeviceList devices(set);
        const Error error = t5xDefaultMesh(devices, { 32, {}, {}, {}, MeshUtilsVersion::Head }).error();
        QCOMPARE(error.code, Code::NoDefaultMesh);
        for (const std::string& partitions : error.list("partitions_list"))
            if (!partitions.empty())
                QVERIFY(t5xDefaultMesh(devices, { std::stoll(partitions), {}, {}, {}, MeshUtilsVersion::Head }));
        QCOMPARE(error.text("partitions_list").empty(), std::string(kind) == "TPU v5 lite");
        QVERIFY(!submeshesOf(error).empty());
        for (const HardwareMesh& submesh : submeshesOf(error))
            QVERIFY(t5xMesh(devices, submesh));
    }
    // Found in the table, refused by the machine.
    const DeviceSet small = machine("TPU v4", { 2, 2, 1 });
    QCOMPARE(t5xDefaultMesh(DeviceList(small), { 16, {}, {}, {}, MeshUtilsVersion::Head }).error().code,
        Code::SubmeshNotFactor);
}

void TestT5xMesh::hostsWithoutCoordinates()
{
    const DeviceSet cpus = DeviceSet::ofHosts("generic-cpu", "cpu", 4, 8);
    const Result<DeviceArray> array = t5xMesh(DeviceList(cpus), { 2, 4 });
    QVERIFY(array);
    QCOMPARE(array->shape, (MeshShape{ 4, 8 }));
    for (std::int32_t id = 0; id < 32; ++id) { // two hosts and half of their devices share a row
        const std::int64_t at = positions(*array).at(id);
        QCOMPARE(at / 8, std::int64_t{ id / 16 * 2 + id % 8 / 4 });
        QCOMPARE(at % 8, std::int64_t{ id / 8 % 2 * 4 + id % 4 });
    }
    const Error error = t5xMesh(DeviceList(cpus), { 3, 4 }).error();
    QCOMPARE(error.code, Code::SubmeshNotFactor);
    for (const HardwareMesh& submesh : submeshesOf(error))
        QVERIFY(t5xMesh(DeviceList(cpus), submesh));
}

void TestT5xMesh::gpuPartitions()
{
    int failures = 0;
    for (std::int32_t hosts = 1; hosts <= 6; ++hosts) {
        for (std::int32_t local = 1; local <= 8; ++local) {
            const DeviceSet set = DeviceSet::ofHosts("generic-gpu", "gpu", hosts, local);
            const DeviceList devices(set);
            for (std::int64_t partitions = -1; partitions <= 50; ++partitions) {
                const Result<DeviceArray> array = t5xGpuMesh(devices, partitions);
                const bool inside = partitions > 0 && local % partitions == 0;
                const bool over = partitions > 0 && partitions % local == 0 && hosts % (partitions / local) == 0;
                QCOMPARE(array.has_value(), inside || over);
                if (array) {
                    QCOMPARE(array->shape, (MeshShape{ hosts * local / partitions, partitions }));
                    QVERIFY(isPermutation(*array, devices));
                    continue;
                }
                ++failures;
                const Code code = array.error().code;
                QCOMPARE(code == Code::ZeroDivision, partitions < 1);
                const std::vector<std::string> works = array.error().list("partitions_list");
                QVERIFY(!works.empty());
                for (const std::string& number : works)
                    QVERIFY(t5xGpuMesh(devices, std::stoll(number)));
            }
        }
    }
    QVERIFY(failures > 100);
    // However far the number is from one that works.
    const DeviceSet set = DeviceSet::ofHosts("generic-gpu", "gpu", 8, 8);
    const auto works = [&](std::int64_t partitions) {
        return t5xGpuMesh(DeviceList(set), partitions).error().list("partitions_list");
    };
    QCOMPARE(works(std::numeric_limits<std::int64_t>::min()), (std::vector<std::string>{ "1", "2", "4", "8" }));
    QCOMPARE(works(std::numeric_limits<std::int64_t>::max()), (std::vector<std::string>{ "8", "16", "32", "64" }));
}

void TestT5xMesh::cpuGrids()
{
    const DeviceSet listed = *DeviceSet::ofList("generic-cpu", "cpu", { { 5, 1 }, { 2, 0 }, { 3, 0 }, { 4, 1 } });
    const Result<DeviceArray> array = t5xCpuMesh(DeviceList(listed));
    QVERIFY(array);
    QCOMPARE(array->ids, (std::vector<std::int32_t>{ 2, 3, 4, 5 }));
    const DeviceSet uneven = *DeviceSet::ofList("generic-cpu", "cpu", { { 0, 0 }, { 1, 0 }, { 2, 1 } });
    QCOMPARE(t5xCpuMesh(DeviceList(uneven)).error().code, Code::DevicesDoNotFillBox);
    const DeviceSet clash = *DeviceSet::ofList("generic-cpu", "cpu", { { 0, 0 }, { 2, 0 }, { 4, 1 }, { 5, 1 } });
    QCOMPARE(t5xCpuMesh(DeviceList(clash)).error().code, Code::DevicesDoNotFillBox);
    const DeviceSet gap = *DeviceSet::ofList("generic-cpu", "cpu", { { 0, 0 }, { 1, 2 } });
    QCOMPARE(t5xCpuMesh(DeviceList(gap)).error().code, Code::DevicesDoNotFillBox);
}

void TestT5xMesh::incompleteMachines()
{
    const DeviceSet slices = machine("TPU v4", { 2, 2, 1 }, 1, 2);
    QCOMPARE(t5xMesh(DeviceList(slices), { 1, 1, 1, 1 }).error().code, Code::MultiSlice);
    QVERIFY(t5xDefaultMesh(
        DeviceList(slices), { 1, {}, MeshShape{ 1, 2, 2 }, MeshShape{ 2, 1, 1 }, MeshUtilsVersion::Head }));
    const DeviceSet full = machine("TPU v4", { 4, 2, 1 });
    QCOMPARE(
        t5xMesh(DeviceList(full).at({ 0, 1, 2, 3, 4, 7 }), { 1, 1, 1, 1 }).error().code, Code::DevicesDoNotFillBox);
}

void TestT5xMesh::hostBlocksAgainstSets()
{
    int scattered = 0;
    for (const Machine& machine : machines()) {
        for (const HardwareMesh& submesh : dividing(machine.bounds)) {
            const Result<DeviceArray> array = t5xMesh(DeviceList(machine.set), submesh, submesh[0] % 2 == 0);
            if (!array)
                continue;
            const std::vector<HostBlock> blocks = hostBlocks(*array, machine.set);
            QCOMPARE(static_cast<std::int32_t>(blocks.size()), machine.set.hosts);
            for (const HostBlock& block : blocks) {
                std::int64_t devices = 0;
                std::set<std::int64_t> rows;
                std::set<std::int64_t> columns;
                for (std::size_t i = 0; i < array->ids.size(); ++i) {
                    if (machine.set.place(array->ids[i]).process != block.process)
                        continue;
                    ++devices;
                    rows.insert(indexOf(static_cast<std::int64_t>(i), array->shape)[0]);
                    columns.insert(indexOf(static_cast<std::int64_t>(i), array->shape)[1]);
                }
                QCOMPARE(block.devices, devices);
                QCOMPARE(block.start, (MeshShape{ *rows.begin(), *columns.begin() }));
                QCOMPARE(block.shape,
                    (MeshShape{ *rows.rbegin() - *rows.begin() + 1, *columns.rbegin() - *columns.begin() + 1 }));
                QCOMPARE(block.contiguous(), block.shape[0] * block.shape[1] == devices);
                scattered += block.contiguous() ? 0 : 1;
                QCOMPARE(hostBlock(array->shape, hostsOf(array->ids, machine.set), block.process).has_value(),
                    block.contiguous());
                for (std::size_t axis = 0; axis < 2; ++axis) {
                    QCOMPARE(block.chunks[axis], array->shape[axis] / block.shape[axis]);
                    QCOMPARE(block.chunk[axis], block.start[axis] / block.shape[axis]);
                }
            }
        }
    }
    QVERIFY(scattered > 0);
}

void TestT5xMesh::hostBlockFailures()
{
    const DeviceSet set = machine("TPU v4", { 4, 4, 1 });
    const Result<DeviceArray> array = t5xMesh(DeviceList(set), { 1, 1, 1, 1 }, false);
    const Error scattered = hostBlock(array->shape, hostsOf(array->ids, set), 1).error();
    QCOMPARE(scattered.code, Code::LocalDevicesNotContiguous);
    QCOMPARE(scattered.number("devices"), std::int64_t{ 4 });
    QCOMPARE(scattered.number("block"), std::int64_t{ 6 });
    const Result<DeviceArray> tiled = t5xMesh(DeviceList(set), { 1, 1, 1, 1 }); // by host
    QVERIFY(hostBlock(tiled->shape, hostsOf(tiled->ids, set), 1));
    QCOMPARE(hostBlock(array->shape, hostsOf(array->ids, set), 99).error().code, Code::NoLocalDevices);
}

void TestT5xMesh::largeMachines()
{
    const DeviceSet set = machine("TPU v4", { 32, 32, 64 });
    const DeviceList devices(set);
    for (const HardwareMesh& submesh : { HardwareMesh{ 4, 4, 1, 1 }, HardwareMesh{ 32, 1, 1, 1 } }) {
        const Result<DeviceArray> array = t5xMesh(devices, submesh);
        QVERIFY(array && isPermutation(*array, devices));
        QCOMPARE(hostBlocks(*array, set).size(), std::size_t{ 16384 });
    }
    QVERIFY(!submeshesOf(t5xMesh(devices, { 3, 5, 7, 1 }).error()).empty());
}

REGISTER_TEST(TestT5xMesh)
#include "test_t5x_mesh.moc"

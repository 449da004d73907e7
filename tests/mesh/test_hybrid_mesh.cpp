// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "base/codes.h"
#include "machines.h"
#include "mesh/device_mesh.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

class TestHybridMesh : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void granulesStayTogether();
    void ordersOfGranules();
    void byHost();
    void ranksMayDiffer();
    void failuresSayWhatWorks();
    void manySlices();
};

void TestHybridMesh::granulesStayTogether()
{
    const bool holds = test::propertyHolds(2000, "a block of the mesh is a slice", [] {
        const char* kind = *rc::gen::element("TPU v4", "TPU v3", "TPU v5 lite", "TPU7x");
        const bool twoCores = kindFamily(kind, MeshUtilsVersion::Head) == KindFamily::V2V3
            || kindFamily(kind, MeshUtilsVersion::Head) == KindFamily::Tpu7;
        const std::int32_t slices = *rc::gen::inRange(1, 9);
        const DeviceSet set =
            machine(kind, { *rc::gen::element(2, 4), *rc::gen::element(2, 4), 1 }, twoCores ? 2 : 1, slices);
        const DeviceList devices(set);
        const std::size_t rank = *rc::gen::inRange<std::size_t>(1, 4);
        const MeshShape inner = randomShape(devices.size() / slices, rank);
        const MeshShape outer = randomShape(slices, rank);
        const Result<DeviceArray> array =
            createHybridDeviceMesh(inner, outer, devices, { false, true, true, MeshUtilsVersion::Head });
        RC_ASSERT(array.has_value());
        RC_ASSERT(isPermutation(*array, devices));
        RC_ASSERT(array->reason.granules->keys.size() == static_cast<std::size_t>(slices));

        // Inside a granule it is the mesh of that slice alone.
        const auto sizeOfSlice = devices.size() / slices;
        for (std::size_t position = 0; position < array->ids.size(); ++position) {
            const MeshShape index = indexOf(static_cast<std::int64_t>(position), array->shape);
            std::int64_t granule = 0;
            std::int64_t inside = 0;
            for (std::size_t axis = 0; axis < rank; ++axis) {
                granule = granule * outer[axis] + index[axis] / inner[axis];
                inside = inside * inner[axis] + index[axis] % inner[axis];
            }
            const std::int32_t id = array->ids[position];
            RC_ASSERT(set.place(id).slice == granule);
            std::vector<std::int32_t> members(static_cast<std::size_t>(sizeOfSlice));
            std::iota(members.begin(), members.end(), static_cast<std::int32_t>(granule * sizeOfSlice));
            static std::map<std::vector<std::int32_t>, std::vector<std::int32_t>> known;
            if (position == 0)
                known.clear();
            auto& alone = known[members];
            if (alone.empty())
                alone = createDeviceMesh(inner, devices.at(members), { false, true })->ids;
            RC_ASSERT(alone[static_cast<std::size_t>(inside)] == id);
        }
    });
    QVERIFY(holds);
}

void TestHybridMesh::ordersOfGranules()
{
    const DeviceSet set = machine("TPU v4", { 2, 2, 1 }, 1, 3);
    std::vector<std::int32_t> reversed(12);
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    const DeviceList devices = DeviceList(set).at(reversed);
    const auto keys = [&](bool sorted) {
        return createHybridDeviceMesh({ 4 }, { 3 }, devices, { false, sorted, false, MeshUtilsVersion::Head })
            ->reason.granules->keys;
    };
    QCOMPARE(keys(true), (std::vector<std::int32_t>{ 0, 1, 2 }));
    QCOMPARE(keys(false), (std::vector<std::int32_t>{ 2, 1, 0 }));
    // Devices of slices may be listed in turns.
    const DeviceList turns = DeviceList(set).at({ 8, 0, 4, 1, 9, 5, 2, 6, 10, 3, 7, 11 });
    const Result<DeviceArray> array = createHybridDeviceMesh({ 2, 2 }, { 3, 1 }, turns);
    QVERIFY(array);
    QCOMPARE(array->ids, createHybridDeviceMesh({ 2, 2 }, { 3, 1 }, DeviceList(set))->ids);
}

void TestHybridMesh::byHost()
{
    const DeviceSet gpus = DeviceSet::ofHosts("generic-gpu", "gpu", 4, 8);
    const Result<DeviceArray> array =
        createHybridDeviceMesh({ 2, 4 }, { 2, 2 }, DeviceList(gpus), { true, true, false, MeshUtilsVersion::Head });
    QVERIFY(array);
    QCOMPARE(array->shape, (MeshShape{ 4, 8 }));
    QVERIFY(array->reason.granules->byProcess);
    for (std::size_t position = 0; position < 32; ++position) {
        const auto row = static_cast<std::int32_t>(position) / 8;
        const auto column = static_cast<std::int32_t>(position) % 8;
        QCOMPARE(gpus.place(array->ids[position]).process, row / 2 * 2 + column / 4);
    }
}

void TestHybridMesh::ranksMayDiffer()
{
    const DeviceSet set = machine("TPU v4", { 2, 2, 1 }, 1, 2);
    const Result<DeviceArray> array = createHybridDeviceMesh({ 4 }, { 2, 1 }, DeviceList(set));
    QVERIFY(array);
    QCOMPARE(array->shape, (MeshShape{ 2, 4 }));
    QCOMPARE(array->ids, createHybridDeviceMesh({ 1, 4 }, { 2, 1 }, DeviceList(set))->ids);
    QCOMPARE(createHybridDeviceMesh({ 2, 2 }, { 2 }, DeviceList(set))->shape, (MeshShape{ 2, 4 }));
}

void TestHybridMesh::failuresSayWhatWorks()
{
    const DeviceSet set = machine("TPU v4", { 4, 4, 1 }, 1, 6);
    const DeviceList devices(set);
    const Error count = createHybridDeviceMesh({ 4, 4 }, { 4, 1 }, devices).error();
    QCOMPARE(count.code, Code::GranuleCountMismatch);
    QCOMPARE(count.number("granules"), std::int64_t{ 6 });
    QVERIFY(!shapesOf(count, "shapes").empty());
    for (const MeshShape& outer : shapesOf(count, "shapes"))
        QVERIFY(createHybridDeviceMesh({ 4, 4 }, outer, devices));

    for (const MeshShape& inner : { MeshShape{ 4, 8 }, MeshShape{ 2, 8 } }) {
        const Error inside = createHybridDeviceMesh(inner, { 6, 1 }, devices).error();
        QCOMPARE(inside.code, inner[0] == 4 ? Code::DeviceCountMismatch : Code::NoAxisAssignment);
        QVERIFY(inside.arg("granule"));
        QVERIFY(!shapesOf(inside, "shapes").empty());
        for (const MeshShape& shape : shapesOf(inside, "shapes"))
            QVERIFY(createHybridDeviceMesh(shape, { 6, 1 }, devices));
    }
    QCOMPARE(createHybridDeviceMesh({ 4, 4 }, { -6, -1 }, devices).error().code, Code::InvalidAxisSize);

    const DeviceSet cpus = DeviceSet::ofHosts("generic-cpu", "cpu", 2, 4);
    QCOMPARE(createHybridDeviceMesh({ 4 }, { 2 }, DeviceList(cpus)).error().code, Code::MissingGranuleAttribute);
    QVERIFY(createHybridDeviceMesh({ 4 }, { 2 }, DeviceList(cpus), { true, true, false, MeshUtilsVersion::Head }));
}

void TestHybridMesh::manySlices()
{
    const DeviceSet set = machine("TPU v5 lite", { 16, 16, 1 }, 1, 256);
    const DeviceList devices(set);
    const Result<DeviceArray> array = createHybridDeviceMesh({ 1, 16, 16 }, { 256, 1, 1 }, devices);
    QVERIFY(array && isPermutation(*array, devices));
    QCOMPARE(array->shape, (MeshShape{ 256, 16, 16 }));
}

REGISTER_TEST(TestHybridMesh)
#include "test_hybrid_mesh.moc"

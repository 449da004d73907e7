// SPDX-License-Identifier: GPL-3.0-or-later
// Devices of an experiment in the order of its mesh.
#include <QTest>

#include <numeric>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/mesh_order.h"
#include "mesh/device_presets.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

MeshSetting meshOf(std::vector<MeshAxis> axes, OrderMethod method)
{
    MeshSetting mesh{ std::move(axes), {} };
    mesh.order.method = method;
    return mesh;
}

std::vector<std::int32_t> orderOf(const char* devices, const MeshSetting& mesh)
{
    const Result<Mesh> made = makeMesh(*parseDevices(devices), mesh);
    if (!made)
        return {};
    std::vector<std::int32_t> order;
    for (std::int64_t i = 0; i < made->deviceCount(); ++i)
        order.push_back(made->deviceAt(i));
    return order;
}

Experiment on(const char* devices, std::vector<MeshAxis> axes, OrderMethod method = OrderMethod::RowMajor)
{
    Experiment experiment = builtinExamples().front().make();
    experiment.hardware.devices = *parseDevices(devices);
    experiment.mesh = meshOf(std::move(axes), method);
    return experiment;
}

std::vector<std::int64_t> meshSizes(const Experiment& experiment)
{
    std::vector<std::int64_t> sizes;
    for (const MeshAxis& axis : experiment.mesh.axes)
        sizes.push_back(axis.size);
    return sizes;
}

} // namespace

class TestMeshOrder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void methods()
    {
        const std::vector<MeshAxis> axes{ { "data", 2 }, { "model", 4 } };
        const char* flat = "tpu-v5e:4x2"; // hosts of 2 x 2: 0 1 4 5 and 2 3 6 7
        std::vector<std::int32_t> plain(8);
        std::iota(plain.begin(), plain.end(), 0);
        QCOMPARE(orderOf(flat, meshOf(axes, OrderMethod::RowMajor)), plain);
        QCOMPARE(
            orderOf(flat, meshOf(axes, OrderMethod::AsListed)), (std::vector<std::int32_t>{ 0, 1, 4, 5, 2, 3, 6, 7 }));
        QCOMPARE(orderOf("cpu:8", meshOf(axes, OrderMethod::CreateDeviceMesh)), plain);
        QVERIFY(makeMesh(*parseDevices("cpu:8"), meshOf(axes, OrderMethod::CreateDeviceMesh))->deviceOrder().empty());
        MeshSetting specified{ axes, { 7, 6, 5, 4, 3, 2, 1, 0 } };
        specified.order.method = OrderMethod::CreateDeviceMesh; // what the file names counts
        QCOMPARE(orderOf(flat, specified), specified.deviceOrder);
    }

    void columnMajor()
    {
        QCOMPARE(columnMajorOrder(*Mesh::create({ { "data", 2 }, { "model", 4 } })),
            (std::vector<std::int32_t>{ 0, 2, 4, 6, 1, 3, 5, 7 }));
        QCOMPARE(columnMajorOrder(*Mesh::create({ { "a", 2 }, { "b", 1 }, { "c", 3 }, { "d", 2 } })),
            (std::vector<std::int32_t>{ 0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11 }));
        QCOMPARE(columnMajorOrder(Mesh()), std::vector<std::int32_t>{ 0 });
    }

    void cube()
    {
        const std::vector<MeshAxis> axes{ { "data", 16 }, { "model", 4 } };
        for (const OrderMethod method : { OrderMethod::CreateDeviceMesh, OrderMethod::MakeMesh }) {
            const auto order = orderOf("tpu-v4:4x4x4", meshOf(axes, method));
            QCOMPARE(std::vector<std::int32_t>(order.begin(), order.begin() + 12),
                (std::vector<std::int32_t>{ 0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35 }));
        }
        const Result<OrderedMesh> ordered =
            orderedMesh(*parseDevices("tpu-v4:4x4x4"), meshOf(axes, OrderMethod::CreateDeviceMesh));
        QCOMPARE(ordered->reason.rule, OrderRule::FullAxes);
        QCOMPARE(ordered->reason.assignment->share(0, 1), 4); // x became model
    }

    void twoSlices()
    {
        const DeviceSet devices = *parseDevices("2*tpu-v4:2x2x4");
        MeshSetting mesh = meshOf({ { "data", 8 }, { "model", 4 } }, OrderMethod::Hybrid);
        QCOMPARE(*dcnShape(devices, mesh), (MeshShape{ 2, 1 }));
        const Result<OrderedMesh> ordered = orderedMesh(devices, mesh);
        QVERIFY(ordered.has_value());
        QCOMPARE(ordered->reason.granules->outer, (MeshShape{ 2, 1 }));
        for (std::int64_t position = 0; position < 32; ++position)
            QCOMPARE(devices.place(ordered->mesh.deviceAt(position)).slice, position < 16 ? 0 : 1);
        mesh.order.dcn = { { "model", 2 } };
        QCOMPARE(*dcnShape(devices, mesh), (MeshShape{ 1, 2 }));
        QCOMPARE(devices.place(makeMesh(devices, mesh)->deviceAt(2)).slice, 1);
        mesh.order.dcn = { { "modle", 2 } };
        QCOMPARE(orderedMesh(devices, mesh).error().code, Code::UnknownAxis);
        mesh.order.dcn = { { "data", 3 } };
        QCOMPARE(orderedMesh(devices, mesh).error().code, Code::InvalidAxisSize);
        // One mesh over both slices is what JAX refuses.
        mesh.order = {};
        mesh.order.method = OrderMethod::MakeMesh;
        QCOMPARE(orderedMesh(devices, mesh).error().code, Code::MultiSlice);
        QCOMPARE(orderedMesh(devices, mesh).error().where.pointer, std::string("/mesh/device_order"));
    }

    void t5x()
    {
        const DeviceSet devices = *parseDevices("tpu-v2:8x8");
        MeshSetting mesh = meshOf({ { "data", 32 }, { "model", 4 } }, OrderMethod::T5x);
        const Result<OrderedMesh> ordered = orderedMesh(devices, mesh);
        QVERIFY(ordered.has_value());
        QVERIFY(ordered->reason.submesh.has_value());
        mesh.order.submesh = { 2, 1, 1, 1 };
        const Result<OrderedMesh> other = orderedMesh(devices, mesh);
        QCOMPARE(other.error().code, Code::OrderShape);
        QCOMPARE(other.error().text("shape"), std::string("64x2"));
        mesh.order.submesh = { 3, 1, 1, 1 };
        const Result<OrderedMesh> refused = orderedMesh(devices, mesh);
        QCOMPARE(refused.error().code, Code::SubmeshNotFactor);
        QVERIFY(!refused.error().list("submeshes").empty());
        mesh.axes.push_back({ "more", 1 });
        QCOMPARE(orderedMesh(devices, mesh).error().text("shape"), std::string());
    }

    void failuresNameTheAxis()
    {
        const Result<OrderedMesh> refused = orderedMesh(
            *parseDevices("tpu-v4:4x4x4"), meshOf({ { "data", 8 }, { "model", 8 } }, OrderMethod::CreateDeviceMesh));
        QCOMPARE(refused.error().code, Code::NoAxisAssignment);
        QCOMPARE(refused.error().text("axis_name"), std::string("model"));
        QVERIFY(!refused.error().list("shapes").empty());
        QCOMPARE(refused.error().where.pointer, std::string("/mesh/device_order"));
        // Axes that do not take all devices are another matter.
        QVERIFY(orderedMesh(*parseDevices("tpu-v4:4x4x4"), meshOf({ { "a", 3 } }, OrderMethod::CreateDeviceMesh)));
    }

    void automatic()
    {
        const auto chosen = [](const char* devices, std::vector<MeshAxis> axes) {
            return automaticOrder(*parseDevices(devices), meshOf(std::move(axes), OrderMethod::RowMajor));
        };
        QCOMPARE(chosen("tpu-v4:4x4x4", { { "a", 16 }, { "b", 4 } }), (OrderSetting{ OrderMethod::CreateDeviceMesh }));
        QCOMPARE(
            chosen("tpu-v4:4x4x4", { { "a", 8 }, { "b", 8 } }), (OrderSetting{ OrderMethod::CreateDeviceMesh, true }));
        QCOMPARE(chosen("2*tpu-v4:4x4x4", { { "a", 32 }, { "b", 4 } }).method, OrderMethod::Hybrid);
        QCOMPARE(chosen("cpu:8", { { "a", 8 } }).method, OrderMethod::CreateDeviceMesh);
    }

    void otherDevices()
    {
        const Experiment before = on("cpu:8", { { "data", 2 }, { "model", 4 } });
        Experiment ordered = before;
        ordered.mesh.deviceOrder = { 7, 6, 5, 4, 3, 2, 1, 0 };
        const Experiment after = *withDevices(ordered, *parseDevices("tpu-v4:4x4x4"));
        QCOMPARE(meshSizes(after), (std::vector<std::int64_t>{ 16, 4 }));
        QVERIFY(after.mesh.deviceOrder.empty());
        QCOMPARE(after.hardware.devices.kind, std::string("TPU v4"));
        QCOMPARE(meshSizes(*withDevices(before, *parseDevices("cpu:6"))), (std::vector<std::int64_t>{ 3, 2 }));
        QCOMPARE(meshSizes(*withDevices(before, *parseDevices("gpu:2x4"))), (std::vector<std::int64_t>{ 2, 4 }));
        QVERIFY(*withDevices(ordered, ordered.hardware.devices) == ordered);
        const DeviceSet gap = *DeviceSet::ofList("TPU v4", "tpu", { { 0, 0, {}, 0, 0 }, { 2, 0, { 1, 0, 0 }, 0, 0 } });
        QCOMPARE(withDevices(before, gap).error().code, Code::InvalidAttribute);
    }

    void ordersFollowTheAxes()
    {
        Experiment experiment = on("2*tpu-v4:2x2x4", { { "data", 8 }, { "model", 4 } }, OrderMethod::Hybrid);
        experiment.mesh.order.dcn = { { "data", 2 } };
        QCOMPARE(withAxisRenamed(experiment, 0, "batch")->mesh.order.dcn, (std::vector<MeshAxis>{ { "batch", 2 } }));
        QVERIFY(withAxisRemoved(experiment, 0)->mesh.order.dcn.empty());
        QCOMPARE(withAxisSize(experiment, 0, 4, true)->mesh.order, experiment.mesh.order);
        const Experiment explicitly = *withDeviceOrder(on("cpu:2", { { "a", 2 } }, OrderMethod::AsListed), { 1, 0 });
        QCOMPARE(explicitly.mesh.order, OrderSetting());
        QVERIFY(withOrder(explicitly, { OrderMethod::MakeMesh })->mesh.deviceOrder.empty());
        QCOMPARE(meshSizes(*withAxisSizes(experiment, { 4, 8 })), (std::vector<std::int64_t>{ 4, 8 }));
        QCOMPARE(withAxisSizes(experiment, { 4 }).error().code, Code::AxisNamesLength);
    }

    void chipsStayOnAGrid()
    {
        Experiment experiment = on("tpu-v4:4x4x4", { { "data", 32 }, { "model", 4 } });
        const DeviceSet more = withDevicesForMesh(experiment)->hardware.devices;
        QCOMPARE(toText(more), std::string("tpu-v4:4x4x8"));
        experiment.hardware.devices = *parseDevices("tpu-v2:4x4");
        experiment.mesh.axes = { { "data", 3 } }; // no whole chips: hosts that fit
        QVERIFY(!withDevicesForMesh(experiment)->hardware.devices.hasChipGrid());
        QCOMPARE(withDevicesForMesh(experiment)->hardware.devices.count(), 3);
        // Another platform has no grid of TPU chips.
        const DeviceSet cpus = withPlatform(on("tpu-v4:4x4x4", { { "a", 64 } }), "cpu")->hardware.devices;
        QVERIFY(!cpus.hasChipGrid());
        QCOMPARE(cpus.kind, std::string("generic-cpu"));
        QCOMPARE(cpus.count(), 64);
    }
};

REGISTER_TEST(TestMeshOrder)
#include "test_mesh_order.moc"

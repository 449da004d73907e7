// SPDX-License-Identifier: GPL-3.0-or-later
// Places by id, links between chips, and the way along a mesh axis.
#include <QTest>

#include "mesh/axis_path.h"
#include "mesh/device_mesh.h"
#include "mesh/device_places.h"
#include "mesh/device_presets.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

DeviceSet setOf(const char* text)
{
    return *parseDevices(text);
}

} // namespace

class TestDevicePlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyDeviceIsWhereTheSetHasIt_data()
    {
        QTest::addColumn<QString>("devices");
        for (const char* text : { "cpu:8", "gpu:4x8", "tpu-v2:4x4", "tpu-v4:4x4x4", "tpu-v4:2x2x4", "tpu-v5e:2x4",
                 "2*tpu-v5e:2x2", "2*tpu-v5e:4x4" })
            QTest::newRow(text) << QString::fromLatin1(text);
    }
    void everyDeviceIsWhereTheSetHasIt()
    {
        QFETCH(QString, devices);
        const DeviceSet set = setOf(qPrintable(devices));
        const DevicePlaces places(set);
        DeviceSet own = *DeviceSet::ofList(set.kind, set.platform, [&] {
            std::vector<DevicePlace> list;
            DeviceList(set).forEach([&](const DevicePlace& place) { list.push_back(place); });
            return list;
        }());
        const DevicePlaces listed(own);
        for (std::int32_t id = 0; id < set.count(); ++id) {
            QCOMPARE(places[id], set.place(id));
            QCOMPARE(places.host(id), set.place(id).process);
            if (places.hostsAreRuns())
                QCOMPARE(set.place(id).process, id / set.devicesPerHost);
            QCOMPARE(listed[id], set.place(id));
            QCOMPARE(listed.host(id), set.place(id).process);
        }
        QVERIFY(!places.has(-1) && !places.has(static_cast<std::int32_t>(set.count())));
        QVERIFY(!listed.has(static_cast<std::int32_t>(set.count())));
        QVERIFY(!missingId(own));
    }

    void hostsThatAreRuns()
    {
        for (const char* text : { "cpu:8", "gpu:4x8", "tpu-v4:2x2x4", "2*tpu-v5e:2x2" })
            QVERIFY2(DevicePlaces(setOf(text)).hostsAreRuns(), text);
        for (const char* text : { "tpu-v4:4x4x4", "2*tpu-v5e:4x4" })
            QVERIFY2(!DevicePlaces(setOf(text)).hostsAreRuns(), text);
        QVERIFY(
            !DevicePlaces(*DeviceSet::ofList("cpu", "cpu", { { 0, 1, {}, 0, 0 }, { 1, 0, {}, 0, 0 } })).hostsAreRuns());
    }

    void aGapInTheIds()
    {
        const DeviceSet own = *DeviceSet::ofList("TPU v4", "tpu", { { 0, 0, {}, 0, 0 }, { 2, 0, { 1, 0, 0 }, 0, 0 } });
        QCOMPARE(missingId(own), std::optional<std::int32_t>(1));
        QVERIFY(!DevicePlaces(own).has(1));
    }

    void fastLinks()
    {
        QCOMPARE(DevicePlaces(setOf("gpu:4x8")).fastGroups(), 4);
        QCOMPARE(DevicePlaces(setOf("tpu-v4:4x4x4")).fastGroups(), 1);
        const DevicePlaces two(setOf("2*tpu-v5e:4x4"));
        QCOMPARE(two.fastGroups(), 2);
        QCOMPARE(two.fastGroup(15), 0);
        QCOMPARE(two.fastGroup(16), 1);
    }

    void wraps()
    {
        using Wraps = std::array<bool, 3>;
        QCOMPARE(wraparound(setOf("tpu-v4:4x4x4")), (Wraps{ true, true, true }));
        QCOMPARE(wraparound(setOf("tpu-v4:2x2x4")), (Wraps{ false, false, false }));
        QCOMPARE(wraparound(setOf("tpu-v5e:4x16")), (Wraps{ false, true, false }));
        QCOMPARE(wraparound(setOf("tpu-v2:16x16")), (Wraps{ true, true, false }));
        QCOMPARE(wraparound(setOf("tpu-v2:8x8")), (Wraps{ false, false, false }));
        QCOMPARE(wraparound(setOf("cpu:8")), (Wraps{ false, false, false }));
    }

    void links()
    {
        const DevicePlaces torus(setOf("tpu-v4:4x4x4"));
        const auto wraps = wraparound(torus.set());
        QCOMPARE(linksBetween(torus, wraps, 0, 3), std::optional<std::int64_t>(1)); // around x
        QCOMPARE(linksBetween(torus, wraps, 0, 2), std::optional<std::int64_t>(2));
        QCOMPARE(linksBetween(torus, wraps, 0, 63), std::optional<std::int64_t>(3));
        QCOMPARE(linksBetween(torus, {}, 0, 63), std::optional<std::int64_t>(9));
        const DevicePlaces cores(setOf("tpu-v2:4x4"));
        QCOMPARE(linksBetween(cores, {}, 0, 1), std::optional<std::int64_t>(0)); // of one chip
        QVERIFY(!linksBetween(DevicePlaces(setOf("2*tpu-v5e:4x4")), {}, 0, 16));
        QVERIFY(!linksBetween(DevicePlaces(setOf("cpu:8")), {}, 0, 1));
    }

    /// TPU v4 of 4 x 4 x 4 with two mesh axes: model is a ring along x, data winds through y and z.
    void alongTheAxesOfACube()
    {
        const DeviceSet set = setOf("tpu-v4:4x4x4");
        const DeviceArray array = *createDeviceMesh({ 16, 4 }, DeviceList(set));
        const Mesh mesh = *Mesh::createOver({ { "data", 16 }, { "model", 4 } }, array.ids);
        QCOMPARE(axisGroup(mesh, 1, 0), (std::vector<std::int32_t>{ 0, 1, 2, 3 }));
        QCOMPARE(axisGroup(mesh, 1, 7), (std::vector<std::int32_t>{ 16, 17, 18, 19 }));
        QCOMPARE(axisGroup(mesh, 0, 2),
            (std::vector<std::int32_t>{ 2, 18, 34, 50, 6, 22, 38, 54, 10, 26, 42, 58, 14, 30, 46, 62 }));
        const DevicePlaces places(set);
        const AxisSteps model = axisSteps(mesh, places, 1);
        QCOMPARE(model, (AxisSteps{ 4, 16, 1, 1, false }));
        QVERIFY(model.isRing());
        const AxisSteps data = axisSteps(mesh, places, 0);
        QCOMPARE(data, (AxisSteps{ 16, 4, 2, 2, false })); // from row to row one link along y and one around z
        QVERIFY(!data.isRing());
    }

    void alongAxesThatLeave()
    {
        const Mesh mesh = *Mesh::create({ { "data", 2 }, { "model", 16 } });
        const DevicePlaces slices(setOf("2*tpu-v5e:4x4"));
        QVERIFY(axisSteps(mesh, slices, 0).crosses);
        QVERIFY(!axisSteps(mesh, slices, 0).longest);
        QCOMPARE(axisSteps(mesh, slices, 1), (AxisSteps{ 16, 2, 4, 6, false }));
        const DevicePlaces hosts(setOf("cpu:2x16"));
        QVERIFY(axisSteps(mesh, hosts, 0).crosses);
        QVERIFY(!axisSteps(mesh, hosts, 1).crosses);
        QVERIFY(!axisSteps(mesh, hosts, 1).longest);
    }

    void usualGrids()
    {
        using Grid = std::array<std::int32_t, 3>;
        QCOMPARE(usualChips("TPU v4", 64), std::optional<Grid>({ 4, 4, 4 }));
        QCOMPARE(usualChips("TPU v4", 128), std::optional<Grid>({ 4, 4, 8 }));
        QCOMPARE(usualChips("TPU v5 lite", 32), std::optional<Grid>({ 4, 8, 1 }));
        QCOMPARE(usualChips("TPU v4", 7), std::optional<Grid>({ 1, 1, 7 }));
        QVERIFY(!usualChips("generic-cpu", 8));
        QVERIFY(!usualChips("TPU v4", 0));
    }
};

REGISTER_TEST(TestDevicePlaces)
#include "test_device_places.moc"

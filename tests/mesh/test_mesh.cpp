// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "base/codes.h"
#include "mesh/code_metatype.h"
#include "mesh/device_set.h"
#include "mesh/mesh.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

using Axes = std::vector<MeshAxis>;
using Order = std::vector<std::int32_t>;
Q_DECLARE_METATYPE(Axes)
Q_DECLARE_METATYPE(Order)

class TestMesh : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void refuses_data();
    void refuses();
    void positionsAndCoordinates();
    void deviceOrders();
    void partOfAMachine();
    void largeMeshes();
    void devicesOfASet();
};

void TestMesh::refuses_data()
{
    QTest::addColumn<Axes>("axes");
    QTest::addColumn<Order>("order");
    QTest::addColumn<Code>("code");
    QTest::newRow("size 0") << Axes{ { "x", 2 }, { "y", 0 } } << Order{} << Code::InvalidAxisSize;
    QTest::newRow("negative size") << Axes{ { "x", -2 } } << Order{} << Code::InvalidAxisSize;
    QTest::newRow("no name") << Axes{ { "x", 2 }, { "", 2 } } << Order{} << Code::InvalidAttribute;
    QTest::newRow("blank name") << Axes{ { " \t", 2 } } << Order{} << Code::InvalidAttribute;
    QTest::newRow("name twice") << Axes{ { "x", 2 }, { "y", 2 }, { "x", 2 } } << Order{} << Code::DuplicateAxis;
    QTest::newRow("one axis too large") << Axes{ { "x", std::int64_t{ 1 } << 40 } } << Order{} << Code::TooLarge;
    QTest::newRow("product would not fit 64 bits")
        << Axes{ { "x", std::int64_t{ 1 } << 62 }, { "y", std::int64_t{ 1 } << 62 } } << Order{} << Code::TooLarge;
    QTest::newRow("product too large") << Axes{ { "x", 1024 }, { "y", 2048 } } << Order{} << Code::TooLarge;
    Axes many;
    for (std::size_t i = 0; i <= maximumMeshAxes; ++i)
        many.push_back({ "a" + std::to_string(i), 1 });
    QTest::newRow("too many axes") << many << Order{} << Code::TooLarge;
    const Axes four{ { "x", 2 }, { "y", 2 } };
    QTest::newRow("order too short") << four << Order{ 0, 1, 2 } << Code::InvalidAttribute;
    QTest::newRow("order too long") << four << Order{ 0, 1, 2, 3, 4 } << Code::InvalidAttribute;
    QTest::newRow("device twice") << four << Order{ 0, 1, 2, 2 } << Code::InvalidAttribute;
    QTest::newRow("device out of range") << four << Order{ 0, 1, 2, 4 } << Code::InvalidAttribute;
    QTest::newRow("negative device") << four << Order{ 0, 1, 2, -1 } << Code::InvalidAttribute;
}

void TestMesh::refuses()
{
    QFETCH(Axes, axes);
    QFETCH(Order, order);
    QFETCH(Code, code);
    const Result<Mesh> mesh = Mesh::create(axes, order);
    QVERIFY(!mesh);
    QCOMPARE(mesh.error().code, code);
}

void TestMesh::positionsAndCoordinates()
{
    const Mesh mesh = *Mesh::create({ { "data", 2 }, { "one", 1 }, { "model", 4 } });
    QCOMPARE(mesh.deviceCount(), std::int64_t{ 8 });
    QCOMPARE(mesh.axisNames(), (std::vector<std::string>{ "data", "one", "model" }));
    QCOMPARE(mesh.axisIndex("model"), std::optional<std::size_t>(2));
    QVERIFY(!mesh.axisIndex("Model"));
    std::int64_t position = 0;
    for (std::int64_t data = 0; data < 2; ++data) {
        for (std::int64_t model = 0; model < 4; ++model, ++position) {
            QCOMPARE(data * mesh.stride(0) + model * mesh.stride(2), position);
            QCOMPARE(mesh.coordinate(position, 0), data);
            QCOMPARE(mesh.coordinate(position, 1), std::int64_t{ 0 });
            QCOMPARE(mesh.coordinate(position, 2), model);
            QCOMPARE(std::int64_t{ mesh.deviceAt(position) }, position);
        }
    }
    const Mesh none;
    QCOMPARE(none.deviceCount(), std::int64_t{ 1 });
    QCOMPARE(none.deviceAt(0), 0);
    QVERIFY(none == *Mesh::create({}));
}

void TestMesh::deviceOrders()
{
    const bool holds = test::propertyHolds(2000, "a permutation and its inverse", [] {
        const std::int64_t x = *rc::gen::inRange(1, 6);
        const std::int64_t y = *rc::gen::inRange(1, 6);
        Order plain(static_cast<std::size_t>(x * y));
        std::iota(plain.begin(), plain.end(), 0);
        Order order = plain;
        std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
        std::shuffle(order.begin(), order.end(), random);
        const Result<Mesh> mesh = Mesh::create({ { "x", x }, { "y", y } }, order);
        RC_ASSERT(mesh.has_value());
        for (std::int64_t position = 0; position < x * y; ++position) {
            RC_ASSERT(mesh->deviceAt(position) == order[static_cast<std::size_t>(position)]);
            RC_ASSERT(mesh->positionOf(mesh->deviceAt(position)) == position);
        }
        RC_ASSERT(mesh->deviceOrder().empty() == (order == plain)); // the plain order has one form
    });
    QVERIFY(holds);
}

void TestMesh::partOfAMachine()
{
    const Result<Mesh> mesh = Mesh::createOver({ { "x", 2 }, { "y", 2 } }, { 12, 15, 13, 14 });
    QVERIFY(mesh);
    QCOMPARE(mesh->deviceAt(1), 15);
    QCOMPARE(mesh->positionOf(13), std::int64_t{ 2 });
    QCOMPARE(mesh->positionOf(0), std::int64_t{ 4 }); // not in it
    QVERIFY(!Mesh::createOver({ { "x", 2 } }, { 5, 5 }));
    QVERIFY(!Mesh::createOver({ { "x", 2 } }, { -1, 5 }));
    QVERIFY(!Mesh::createOver({ { "x", 2 } }, {}));
    QVERIFY(*Mesh::createOver({ { "x", 2 } }, { 0, 1 }) == *Mesh::create({ { "x", 2 } }));
}

void TestMesh::largeMeshes()
{
    const Result<Mesh> mesh = Mesh::create({ { "x", 1024 }, { "y", 1024 } });
    QVERIFY(mesh);
    QCOMPARE(mesh->deviceCount(), maximumDevices);
    QCOMPARE(mesh->positionOf(1'048'575), std::int64_t{ 1'048'575 });
    QCOMPARE(mesh->positionOf(1'048'576), maximumDevices);
}

void TestMesh::devicesOfASet()
{
    const DeviceSet set{ "generic-cpu", "cpu", 2, 4 };
    QCOMPARE(set.count(), std::int64_t{ 8 });
    const Device device = set.device(6);
    QCOMPARE(device.id, 6);
    QCOMPARE(device.process, 1);
    QCOMPARE(device.coordinates, (std::array<std::int32_t, 3>{ 2, 1, 0 }));
}

REGISTER_TEST(TestMesh)
#include "test_mesh.moc"

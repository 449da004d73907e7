// SPDX-License-Identifier: GPL-3.0-or-later
// The device map when what it shows changes under the pointer: other meshes, other tensors, other sizes.
#include <QSignalSpy>
#include <QTest>

#include "document/selection.h"
#include "views/mesh_view/device_map.h"
#include "views/panel_fixture.h"
#include "views/theme/appearance.h"

using namespace shardscope;

namespace {

/// Devices numbered along the first axis first.
MeshPtr columnMajor(std::int64_t rows, std::int64_t columns)
{
    std::vector<std::int32_t> order;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            order.push_back(static_cast<std::int32_t>(column * rows + row));
    return std::make_shared<const Mesh>(*Mesh::create({ { "data", rows }, { "model", columns } }, std::move(order)));
}

MeshPtr plain(std::int64_t rows, std::int64_t columns)
{
    return std::make_shared<const Mesh>(*Mesh::create({ { "data", rows }, { "model", columns } }));
}

std::optional<Layout> cutBy(const MeshPtr& mesh, const char* axis)
{
    return Layout(mesh, toTensorSharding({ { SpecEntry::axis(axis) } }, *mesh, 1), { 4'096 });
}

} // namespace

class TestDeviceMap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void anotherMeshLeavesNothingLit()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        DeviceMap map(&selection);
        map.resize(360, 200);
        const MeshPtr small = plain(2, 16), large = columnMajor(16, 16);
        map.setMesh(small, 8, cutBy(small, "model"));
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        // d31 is on position 31 of the small mesh and on position 241 of the large one, which is no square of the
        // small.
        const QPoint last = map.shownRect(map.map().squareOf(31)).center();
        QTest::mouseMove(&map, last);
        QTRY_COMPARE(selection.hoveredDevices(), (std::vector<std::int32_t>{ 15, 31 }));
        QTest::mouseClick(&map, Qt::LeftButton, Qt::NoModifier, last);
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 31 });
        // Whoever listens asks at once.
        QStringList captions;
        const auto listen = connect(&map, &DeviceMap::captionChanged, &map, [&] { captions << map.caption(); });
        map.setMesh(large, 8, cutBy(large, "model"));
        QVERIFY(selection.hoveredDevices().empty());
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 31 }); // stays chosen, at its new place
        for (const QString& caption : captions)
            QVERIFY2(!caption.contains(QStringLiteral("model 16")), qPrintable(caption));
        map.grab();
        QTest::mouseMove(&map, map.shownRect(0).center());
        QTRY_VERIFY(!selection.hoveredDevices().empty());
        map.setMesh(small, 8, std::nullopt);
        QVERIFY(selection.hoveredDevices().empty());
        map.grab();
        disconnect(listen);
    }

    void anotherTensorLightsItsOwnHolders()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        DeviceMap map(&selection);
        map.resize(360, 120);
        const MeshPtr mesh = plain(2, 4);
        map.setMesh(mesh, 4, cutBy(mesh, "model"));
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        QTest::mouseMove(&map, map.shownRect(3).center());
        QTRY_COMPARE(selection.hoveredDevices(), (std::vector<std::int32_t>{ 3, 7 }));
        map.setMesh(mesh, 4, cutBy(mesh, "data")); // by keyboard; the pointer stays where it is
        QCOMPARE(selection.hoveredDevices(), (std::vector<std::int32_t>{ 0, 1, 2, 3 }));
        map.setMesh(mesh, 4, std::nullopt);
        QCOMPARE(selection.hoveredDevices(), std::vector<std::int32_t>{ 3 });
    }

    void theFocusTakesItsLightAlong()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        QWidget window;
        DeviceMap map(&selection, &window);
        QWidget other(&window);
        other.setFocusPolicy(Qt::StrongFocus);
        map.setGeometry(0, 0, 360, 120);
        window.resize(400, 200);
        const MeshPtr mesh = plain(2, 4);
        map.setMesh(mesh, 4, cutBy(mesh, "model"));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        map.setFocus();
        QTest::keyClick(&map, Qt::Key_Right);
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(selection.hoveredDevices(), (std::vector<std::int32_t>{ 1, 5 }));
        other.setFocus();
        QVERIFY(selection.hoveredDevices().empty());
        map.setFocus();
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(selection.hoveredDevices(), (std::vector<std::int32_t>{ 2, 6 }));
        const MeshPtr turned = plain(4, 2);
        map.setMesh(turned, 4, std::nullopt);
        QVERIFY(selection.hoveredDevices().empty());
    }

    void anotherSizeKeepsTheDeviceInWords()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        DeviceMap map(&selection);
        map.resize(900, 600);
        const MeshPtr mesh = plain(64, 16);
        map.setMesh(mesh, 8, std::nullopt);
        map.show();
        QVERIFY(QTest::qWaitForWindowActive(&map));
        map.setFocus();
        QTest::keyClick(&map, Qt::Key_End);
        QCOMPARE(map.caption(), QStringLiteral("d1023: data 63, model 15, host 127"));
        QStringList captions;
        connect(&map, &DeviceMap::captionChanged, &map, [&] { captions << map.caption(); });
        map.resize(120, 80);
        QTRY_VERIFY(map.map().devicesPerSquare() > 1 || map.map().squareCount() == 1024);
        QVERIFY(!captions.isEmpty());
        for (const QString& caption : captions)
            QVERIFY2(caption.contains(QStringLiteral("d1023")), qPrintable(caption));
        QVERIFY(selection.hoveredGroup().countIn({ 63, 64, 15, 16 }) == 1);
    }

    void manyHoldersAreCountedNotRanged()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        DeviceMap map(&selection);
        map.resize(360, 200);
        const MeshPtr mesh = plain(16, 4);
        map.setMesh(mesh, 8, cutBy(mesh, "model"));
        QCOMPARE(map.tableText(1, 0), QStringLiteral("d1"));
        QCOMPARE(map.tableText(1, 2), QStringLiteral("16 devices: d1, d5, …, d61"));
        map.setMesh(mesh, 8, cutBy(mesh, "data"));
        QCOMPARE(map.tableText(1, 2), QStringLiteral("d0, d1, d2, d3"));
        map.setMesh(mesh, 8, Layout(mesh, TensorSharding::fullyReplicated(1), { 64 }));
        QCOMPARE(map.tableText(1, 2), QStringLiteral("d0 … d63"));
    }

    void holdersOfManyDevicesAreNotListed()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        DeviceMap map(&selection);
        map.resize(600, 400);
        const MeshPtr mesh = columnMajor(1024, 1024);
        map.setMesh(mesh, 8, Layout(mesh, TensorSharding::fullyReplicated(1), { 64 }));
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        map.grab();
        QElapsedTimer timer;
        timer.start();
        const std::int64_t squares = map.map().squareCount();
        int hovered = 0;
        for (std::int64_t square = 0; square < squares && hovered < 200; ++square, ++hovered) {
            QMouseEvent move(QEvent::MouseMove, map.shownRect(square).center(), QPointF(), Qt::NoButton, Qt::NoButton,
                Qt::NoModifier);
            QCoreApplication::sendEvent(&map, &move);
            QCOMPARE(selection.hoveredGroup().size(), 1'048'576);
        }
        // A list of a million ids takes some milliseconds each time.
        QVERIFY2(timer.elapsed() < 5 * hovered, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_MAIN(TestDeviceMap)
#include "test_device_map.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The device map when what it shows changes under the pointer: other meshes, other tensors, other sizes.
#include <QHelpEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPointingDevice>
#include <QTest>
#include <QToolTip>

#include "document/selection.h"
#include "registered_test.h"
#include "views/device_map/device_map.h"
#include "views/panel_fixture.h"
#include "views/theme/appearance.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"

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

std::optional<Layout> axesOf(const MeshPtr& mesh, const char* axis)
{
    return Layout(mesh, toTensorSharding({ { SpecEntry::axis(axis) } }, *mesh, 1), { 4'096 });
}

/// Hosts of so many devices for all of the mesh.
DeviceSet hostsOf(std::int32_t devices, const MeshPtr& mesh)
{
    return DeviceSet::ofHosts("generic-cpu", "cpu", static_cast<std::int32_t>(mesh->deviceCount() / devices), devices);
}

/// A map of its own, with the devices of a mesh on hosts of so many.
struct OnScreen {
    Appearance appearance{ ThemeChoice::Light };
    Selection selection;
    DeviceMap map{ &selection, QStringLiteral("Device map"), DeviceMap::Room::Flat };

    OnScreen(QSize size, const MeshPtr& mesh, std::int32_t devicesPerHost, std::optional<Layout> layout)
    {
        map.resize(size);
        map.setMesh(mesh, hostsOf(devicesPerHost, mesh), std::move(layout));
    }
    [[nodiscard]] bool isShown()
    {
        map.show();
        return QTest::qWaitForWindowActive(&map);
    }
};

} // namespace

class TestDeviceMap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        test::failOnWarnings();
        QLocale::setDefault(QLocale(QLocale::English));
    }

    void anotherMeshLeavesNothingLit()
    {
        const MeshPtr small = plain(2, 16), large = columnMajor(16, 16);
        OnScreen screen({ 360, 200 }, small, 8, axesOf(small, "model"));
        auto& [appearance, selection, map] = screen;
        QVERIFY(screen.isShown());
        // d31 is on position 31 of the small mesh and on position 241 of the large one, which the small one has not.
        const QPoint last = map.shownRect(31).center();
        QTest::mouseMove(&map, last);
        QTRY_COMPARE(selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 15, 31 }));
        QTest::mouseClick(&map, Qt::LeftButton, Qt::NoModifier, last);
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 31 });
        // Whoever listens asks at once.
        QStringList captions;
        const auto listen = connect(&map, &DeviceMap::currentChanged, &map, [&] { captions << map.currentText(); });
        map.setMesh(large, hostsOf(8, large), axesOf(large, "model"));
        QVERIFY(selection.hoveredGroup().ids().empty());
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 31 }); // stays chosen, at its new place
        for (const QString& caption : captions)
            QVERIFY2(!caption.contains(QStringLiteral("model 16")), qPrintable(caption));
        map.grab();
        QTest::mouseMove(&map, map.shownRect(0).center());
        QTRY_VERIFY(!selection.hoveredGroup().ids().empty());
        map.setMesh(small, hostsOf(8, small), std::nullopt);
        QVERIFY(selection.hoveredGroup().ids().empty());
        map.grab();
        disconnect(listen);
    }

    void anotherTensorLightsItsOwnHolders()
    {
        const MeshPtr mesh = plain(2, 4);
        OnScreen screen({ 360, 120 }, mesh, 4, axesOf(mesh, "model"));
        auto& [appearance, selection, map] = screen;
        QVERIFY(screen.isShown());
        QTest::mouseMove(&map, map.shownRect(3).center());
        QTRY_COMPARE(selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 3, 7 }));
        map.setMesh(mesh, hostsOf(4, mesh), axesOf(mesh, "data")); // by keyboard; the pointer stays where it is
        QCOMPARE(selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 0, 1, 2, 3 }));
        map.setMesh(mesh, hostsOf(4, mesh), std::nullopt);
        QCOMPARE(selection.hoveredGroup().ids(), std::vector<std::int32_t>{ 3 });
    }

    void theFocusTakesItsLightAlong()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        QWidget window;
        DeviceMap map(&selection, QStringLiteral("Device map"), DeviceMap::Room::Flat, &window);
        QWidget other(&window);
        other.setFocusPolicy(Qt::StrongFocus);
        map.setGeometry(0, 0, 360, 120);
        window.resize(400, 200);
        const MeshPtr mesh = plain(2, 4);
        map.setMesh(mesh, hostsOf(4, mesh), axesOf(mesh, "model"));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        map.setFocus();
        QTest::keyClick(&map, Qt::Key_Right);
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 1, 5 }));
        other.setFocus();
        QVERIFY(selection.hoveredGroup().ids().empty());
        map.setFocus();
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 2, 6 }));
        const MeshPtr turned = plain(4, 2);
        map.setMesh(turned, hostsOf(4, turned), std::nullopt);
        QVERIFY(selection.hoveredGroup().ids().empty());
    }

    /// 67 devices leave cells of the last line empty: keys pass them by, and no tip tells of devices that there are
    /// not.
    void cellsWithoutADeviceSayNothing()
    {
        const MeshPtr mesh = std::make_shared<const Mesh>(*Mesh::create({ { "data", 67 } }));
        OnScreen screen({ 600, 500 }, mesh, 1, std::nullopt);
        auto& [appearance, selection, map] = screen;
        QVERIFY(screen.isShown());
        QTRY_COMPARE(map.layoutOfCells().cellsPerTile(), 1);
        const auto& cells = map.layoutOfCells();
        QVERIFY(cells.shape().count() > 67);
        map.setFocus();
        QTest::keyClick(&map, Qt::Key_End);
        QVERIFY2(map.currentText().startsWith(QStringLiteral("d66:")), qPrintable(map.currentText()));
        QToolTip::hideText();
        QTRY_VERIFY(!QToolTip::isVisible());
        for (std::int64_t cell = cells.shape().count() - 1; cell >= 66; --cell) {
            const QPoint at = cells.rectOf(cell).center();
            QHelpEvent help(QEvent::ToolTip, at, map.mapToGlobal(at));
            QCoreApplication::sendEvent(&map, &help);
            QCOMPARE(QToolTip::isVisible(), cell == 66);
        }
        QVERIFY2(QToolTip::text().contains(QStringLiteral("d66:")), qPrintable(QToolTip::text()));
        QToolTip::hideText();
    }

    void anotherSizeKeepsTheDeviceInWords()
    {
        const MeshPtr mesh = plain(64, 16);
        OnScreen screen({ 900, 600 }, mesh, 8, std::nullopt);
        auto& [appearance, selection, map] = screen;
        QVERIFY(screen.isShown());
        map.setFocus();
        QTest::keyClick(&map, Qt::Key_End);
        QCOMPARE(map.currentText(), QStringLiteral("d1023: data 63, model 15, host 127"));
        QStringList captions;
        connect(&map, &DeviceMap::currentChanged, &map, [&] { captions << map.currentText(); });
        map.resize(120, 80);
        QTRY_VERIFY(map.layoutOfCells().cellsPerTile() > 1);
        for (const QString& caption : captions)
            QVERIFY2(caption.contains(QStringLiteral("63")), qPrintable(caption));
        QVERIFY2(map.currentText().contains(QStringLiteral("–63")), qPrintable(map.currentText()));
        QVERIFY(selection.hoveredGroup().countIn({ 63, 64, 15, 16 }) == 1);
    }

    void manyHoldersAreCountedNotRanged()
    {
        const MeshPtr mesh = plain(16, 4);
        OnScreen screen({ 360, 200 }, mesh, 8, axesOf(mesh, "model"));
        auto& [appearance, selection, map] = screen;
        QCOMPARE(map.tableText(1, 0), QStringLiteral("d1: data 0, model 1, host 0"));
        QCOMPARE(map.tableText(1, 1), QStringLiteral("16 devices: d1, d5, …, d61"));
        map.setMesh(mesh, hostsOf(8, mesh), axesOf(mesh, "data"));
        QCOMPARE(map.tableText(1, 1), QStringLiteral("d0, d1, d2, d3"));
        map.setMesh(mesh, hostsOf(8, mesh), Layout(mesh, TensorSharding::fullyReplicated(1), { 64 }));
        QCOMPARE(map.tableText(1, 1), QStringLiteral("d0 … d63"));
    }

    /// What tells the panels of a folded mesh from each other.
    void panelsAreNamed()
    {
        OnScreen flat({ 360, 120 }, plain(16, 4), 4, axesOf(plain(16, 4), "model"));
        QVERIFY(flat.isShown());
        const auto& panels = flat.map.layoutOfCells().panels();
        QVERIFY(panels.size() > 1);
        std::int64_t next = 0;
        for (const MapPanel& panel : panels) {
            QCOMPARE(words::plain(flat.map.field()->title(panel)),
                QStringLiteral("data %1").arg(words::range(panel.firstRow, panel.endRow)));
            QCOMPARE(panel.firstRow, next);
            next = panel.endRow;
        }
        QCOMPARE(next, 16);
    }

    /// Over narrow panels stand numbers alone: the heading names their axes, in the same order.
    void numbersHaveTheirAxesInTheHeading()
    {
        const MeshPtr mesh =
            std::make_shared<const Mesh>(*Mesh::create({ { "data", 2 }, { "expert", 2 }, { "model", 2 } }));
        const DeviceField field = meshField(mesh);
        const MapBlock part{ 1, 0, 1, 0, 2 };
        QCOMPARE(words::plain(field.title(part)), QStringLiteral("data 1, expert 0"));
        QCOMPARE(words::plain(field.numbers(part)), QStringLiteral("1, 0"));
        QCOMPARE(words::plain(field.heading(true)), QStringLiteral("model →, expert ↓, data beside"));
        QCOMPARE(words::plain(field.heading(true, true)), QStringLiteral("model →, data beside, expert beside"));
    }

    void everyLevelIsReachedAndLeft()
    {
        const MeshPtr mesh = plain(1024, 16);
        OnScreen screen({ 360, 120 }, mesh, 8, axesOf(mesh, "model"));
        auto& [appearance, selection, map] = screen;
        QVERIFY(screen.isShown());
        // The class map: how many there are, in words, and what a square is.
        QVERIFY(map.layoutOfCells().cellsPerTile() > 8);
        QVERIFY2(map.tileText().startsWith(QStringLiteral("Each tile is ")), qPrintable(map.tileText()));
        QVERIFY(map.trail().isEmpty());
        // By pinch to hosts, by keys to devices and shards.
        const auto pinch = [&map](qreal by) {
            const QPointF at = map.shownRect(296).center();
            QMouseEvent move(QEvent::MouseMove, at, QPointF(), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&map, &move);
            QNativeGestureEvent gesture(Qt::ZoomNativeGesture, QPointingDevice::primaryPointingDevice(), 2, at, at,
                map.mapToGlobal(at), by, QPointF());
            QCoreApplication::sendEvent(&map, &gesture);
        };
        pinch(0.2);
        QCOMPARE(map.zoom(), MapZoom::Fit); // too little
        pinch(0.2);
        QCOMPARE(map.zoom(), MapZoom::Hosts);
        QCOMPARE(map.layoutOfCells().cellsPerTile(), 8);
        QCOMPARE(map.trail().size(), 2);
        QCOMPARE(map.trail().front(), QStringLiteral("16,384 devices"));
        map.zoomIn(296);
        QCOMPARE(map.zoom(), MapZoom::Devices);
        QCOMPARE(map.layoutOfCells().cellsPerTile(), 1);
        QCOMPARE(map.trail(),
            (QStringList{ QStringLiteral("16,384 devices"), QStringLiteral("host 37"), QStringLiteral("d296") }));
        QVERIFY(map.rect().contains(map.shownRect(296)));
        map.zoomIn(296);
        QCOMPARE(map.zoom(), MapZoom::Holdings);
        QCOMPARE(map.trail().back(), QStringLiteral("shard 8"));
        QVERIFY(map.rect().contains(map.shownRect(296)));
        QVERIFY(map.shownRect(296).width() >= 44 && map.shownRect(296).height() >= 28);
        QVERIFY(!map.canZoomIn());
        // Back by the trail, by keys, by pinch.
        map.zoomTo(1);
        QCOMPARE(map.zoom(), MapZoom::Hosts);
        QVERIFY(map.rect().contains(map.shownRect(296)));
        QTest::keyClick(&map, Qt::Key_Plus);
        QTest::keyClick(&map, Qt::Key_Backspace);
        QCOMPARE(map.zoom(), MapZoom::Hosts);
        pinch(-0.4);
        QCOMPARE(map.zoom(), MapZoom::Fit);
        QVERIFY(!map.canZoomOut());
    }

    void thousandsOfDevicesHaveTheirColours()
    {
        const MeshPtr mesh = plain(1024, 16);
        OnScreen screen({ 900, 500 }, mesh, 8, axesOf(mesh, "model"));
        auto& [appearance, selection, map] = screen;
        QCOMPARE(map.layoutOfCells().cellsPerTile(), 1);
        const QImage picture = map.grab().toImage();
        const Theme& theme = Theme::current();
        for (const std::int64_t position : { 0, 5, 17, 4'095, 16'383 }) {
            const Layout layout = *axesOf(mesh, "model");
            QCOMPARE(picture.pixel(map.shownRect(position).center()),
                shardColour(theme, layout, layout.shardAt(position)).rgb());
        }
        // Dark is painted dark, at once.
        appearance.setChoice(ThemeChoice::Dark);
        const QImage dark = map.grab().toImage();
        QCOMPARE(
            dark.pixel(map.shownRect(5).center()), shardColour(Theme::darkTheme(), *axesOf(mesh, "model"), 5).rgb());
        // What is lit is outlined, and the outline goes again.
        selection.setHoveredDevices({ 5 });
        QVERIFY(map.grab().toImage() != dark);
        selection.setHoveredDevices({});
        QVERIFY(map.grab().toImage() == dark);
    }

    void holdersOfManyDevicesAreNotListed()
    {
        const MeshPtr mesh = columnMajor(1024, 1024);
        OnScreen screen({ 600, 400 }, mesh, 8, Layout(mesh, TensorSharding::fullyReplicated(1), { 64 }));
        auto& [appearance, selection, map] = screen;
        QVERIFY(screen.isShown());
        map.grab();
        QElapsedTimer timer;
        timer.start();
        int hovered = 0;
        for (std::int64_t cell = 0; cell < mesh->deviceCount() && hovered < 200; cell += 4'999, ++hovered) {
            QMouseEvent move(
                QEvent::MouseMove, map.shownRect(cell).center(), QPointF(), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&map, &move);
            QCOMPARE(selection.hoveredGroup().size(), 1'048'576);
        }
        // A list of a million ids takes some milliseconds each time.
        QVERIFY2(timer.elapsed() < 5 * hovered, qPrintable(QString::number(timer.elapsed())));
    }
};

REGISTER_TEST(TestDeviceMap)
#include "test_device_map.moc"

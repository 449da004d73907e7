// SPDX-License-Identifier: GPL-3.0-or-later
// The docks for devices and hosts: geometry of the maps, colours, paths, choices, messages with their fixes, and the
// table of a host.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>
#include <set>

#include "experiment/edits.h"
#include "experiment/mesh_order.h"
#include "mesh/device_presets.h"
#include "panel_fixture.h"
#include "registered_test.h"
#include "views/device_map/device_colours.h"
#include "views/device_map/device_map.h"
#include "views/device_map/device_map_layout.h"
#include "views/hosts_view/hosts_view.h"
#include "views/theme/appearance.h"
#include "views/topology_view/device_controls.h"
#include "views/topology_view/topology_view.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

Experiment on(const char* devices, std::vector<MeshAxis> axes, OrderMethod method = OrderMethod::CreateDeviceMesh)
{
    Experiment experiment = test::example("flax-mlp-logical");
    experiment.hardware.devices = *parseDevices(devices);
    experiment.mesh.axes = std::move(axes);
    experiment.mesh.order.method = method;
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.batch = 256;
    settings.layers = 1;
    return experiment;
}

MeshPtr meshOf(std::vector<MeshAxis> axes)
{
    return std::make_shared<const Mesh>(*Mesh::create(std::move(axes)));
}

const Experiment cube = on("tpu-v4:4x4x4", { { "data", 16 }, { "model", 4 } });

} // namespace

class TestTopology : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void cellsAreFoundWhereTheyAre_data()
    {
        QTest::addColumn<QList<int>>("shape"); // columns, rows, planes, planes of a group, together
        for (const QList<int>& shape :
            std::initializer_list<QList<int>>{ { 4, 4, 4, 4, 1 }, { 8, 4, 1, 1, 2 }, { 4, 4, 8, 4, 1 },
                { 8, 512, 1, 1, 1 }, { 128, 128, 1, 1, 1 }, { 16, 16, 256, 1, 1 }, { 1, 1, 1, 1, 1 }, { 7, 3, 5, 1, 1 },
                { 2, 8192, 1, 1, 1 }, { 8192, 2, 1, 1, 1 }, { 40, 32, 50, 50, 1 } }) {
            QStringList name;
            for (const int size : shape)
                name << QString::number(size);
            QTest::newRow(qPrintable(name.join(QLatin1Char('x')))) << shape;
        }
    }
    void cellsAreFoundWhereTheyAre()
    {
        QFETCH(QList<int>, shape);
        const MapShape field{ shape[0], shape[1], shape[2], shape[3], shape[4] };
        for (const QRect& area : { QRect(8, 4, 330, 300), QRect(0, 0, 160, 420), QRect(5, 5, 900, 120) }) {
            const DeviceMapLayout layout(field, area, {});
            if (layout.side() == 0)
                continue;
            // Single devices are squares of 3 pixels at least, tiles of several larger; one for a whole plane may be
            // smaller.
            const bool fullPlanes = layout.tile() == MapTile{ field.columns, field.rows };
            QVERIFY(layout.side() >= (layout.cellsPerTile() == 1 ? 3 : fullPlanes ? 1 : 12));
            std::int64_t covered = 0;
            for (const MapPanel& panel : layout.panels()) {
                QVERIFY(area.contains(panel.rect.united(layout.titleRect(panel))));
                covered += (panel.endRow - panel.firstRow) * (panel.endColumn - panel.firstColumn);
                for (const MapPanel& other : layout.panels())
                    QVERIFY(&other == &panel || !other.rect.intersects(panel.rect));
                if (layout.panels().size() > 64)
                    break;
            }
            if (layout.panels().size() <= 64)
                QCOMPARE(covered, field.count());
            const std::int64_t step = std::max<std::int64_t>(1, field.count() / 997);
            for (std::int64_t cell = 0; cell < field.count(); cell += step) {
                const QRect rect = layout.rectOf(cell);
                QVERIFY(area.contains(rect));
                const auto found = layout.cellAt(rect.center());
                QVERIFY(found.has_value());
                QCOMPARE(layout.rectOf(*found), rect);
                if (layout.cellsPerTile() == 1)
                    QCOMPARE(*found, cell);
            }
        }
    }

    /// Four planes are two and two, not three and one; width that is left over goes to cells as far as they may.
    void roomIsUsed()
    {
        const MapShape cube{ 4, 4, 4, 4, 1 };
        const DeviceMapLayout square(cube, QRect(0, 0, 340, 340), {});
        QCOMPARE(square.panels().size(), std::size_t{ 4 });
        QCOMPARE(square.panels()[1].rect.top(), square.panels()[0].rect.top());
        QCOMPARE(square.panels()[2].rect.left(), square.panels()[0].rect.left());
        QCOMPARE(
            square.panels()[3].rect.topLeft(), QPoint(square.panels()[1].rect.left(), square.panels()[2].rect.top()));
        QCOMPARE(square.tileWidth(), square.side());
        MapSizes otherAttributes;
        otherAttributes.widest = 1.5;
        const DeviceMapLayout stretched(cube, QRect(0, 0, 340, 220), otherAttributes);
        const DeviceMapLayout plain(cube, QRect(0, 0, 340, 220), {});
        QCOMPARE(stretched.side(), plain.side());
        QVERIFY(stretched.tileWidth() > stretched.side() && stretched.tileWidth() <= stretched.side() * 3 / 2);
        QVERIFY(QRect(0, 0, 340, 220).contains(stretched.rectOf(63)));
        for (std::int64_t cell = 0; cell < cube.count(); ++cell)
            QCOMPARE(stretched.cellAt(stretched.rectOf(cell).center()), std::optional(cell));
        // Planes of pixels have their titles where these have room.
        otherAttributes.titleWidth = 40;
        const DeviceMapLayout many({ 32, 32, 16, 16, 1 }, QRect(0, 0, 340, 400), otherAttributes);
        QVERIFY2(many.tile().cells() <= 64, qPrintable(QString::number(many.tile().cells())));
        QVERIFY(many.hasTitles());
        QVERIFY(many.panels().front().rect.width() >= 40);
    }

    /// A mesh of 1024 x 16 is no bar-code: tiles with names beside them; zoomed, the same arrangement with larger
    /// cells.
    void manyCellsAreTiles()
    {
        MapSizes sizes;
        sizes.heads = { 60, 14 };
        const QRect area(0, 0, 330, 300);
        const DeviceMapLayout fit({ 16, 1024, 1, 1, 1 }, area, sizes);
        QCOMPARE(fit.panels().size(), std::size_t{ 1 });
        QCOMPARE(fit.tile().columns, 1);
        QVERIFY2(fit.side() >= 12 && fit.tileWidth() >= 12, qPrintable(QString::number(fit.side())));
        QVERIFY(fit.hasHeads());
        QCOMPARE(fit.panels().front().rect.topLeft(), QPoint(60, 14));
        QCOMPARE(fit.blockOf(16 * 700 + 3),
            (MapBlock{
                0, 700 / fit.tile().rows * fit.tile().rows, (700 / fit.tile().rows + 1) * fit.tile().rows, 3, 4 }));

        const DeviceMapLayout hosts = fit.zoomed({ 8, 1 }, { 50, 24 }, 0, 12, { 5, 7 }, true);
        QCOMPARE(hosts.bounds(), QRect(5, 7, 100, 24 * 1024));
        QCOMPARE(hosts.cellAt({ 5 + 60, 7 + 24 * 9 + 1 }), std::optional<std::int64_t>(9 * 16 + 8));
        const MapBlock seen = hosts.within(hosts.panels().front(), QRect(5, 7 + 24 * 100, 50, 24 * 3));
        QCOMPARE(seen, (MapBlock{ 0, 100, 103, 0, 8 }));
        QCOMPARE(hosts.within(hosts.panels().front(), QRect(500, 0, 10, 10)).count(), 0);

        // Planes of a torus keep their places: four lines of four.
        const DeviceMapLayout torus({ 32, 32, 16, 16, 1 }, QRect(0, 0, 330, 330), sizes);
        const DeviceMapLayout single = torus.zoomed({}, { 30, 20 }, 16, 12, {}, true);
        for (std::size_t plane = 0; plane < 16; ++plane)
            for (std::size_t other = 0; other < plane; ++other) {
                QCOMPARE(torus.panels()[plane].rect.top() == torus.panels()[other].rect.top(),
                    single.panels()[plane].rect.top() == single.panels()[other].rect.top());
                QVERIFY(!single.panels()[plane].rect.intersects(single.panels()[other].rect));
            }
        for (std::int64_t cell = 0; cell < 16'384; cell += 97)
            QCOMPARE(single.cellAt(single.rectOf(cell).center()), std::optional(cell));
        QCOMPARE(torus.neighbour(0, 1, 0), torus.tile().columns);
    }

    void slicesStayTogether()
    {
        // Two slices of four planes: each has lines of its own where both do not fit beside each other.
        for (const QRect& area : { QRect(0, 0, 340, 400), QRect(0, 0, 340, 260), QRect(0, 0, 1400, 200) }) {
            const DeviceMapLayout layout({ 4, 4, 8, 4, 1 }, area, {});
            QCOMPARE(layout.panels().size(), std::size_t{ 8 });
            QVERIFY(area.contains(layout.groupRect(0)) && area.contains(layout.groupRect(1)));
            QVERIFY(!layout.groupRect(0).intersects(layout.groupRect(1)));
        }
    }

    void walking()
    {
        const DeviceMapLayout layout({ 4, 4, 4, 4, 1 }, QRect(0, 0, 400, 400), {});
        QCOMPARE(layout.neighbour(0, 1, 0), 1);
        QCOMPARE(layout.neighbour(3, 1, 0), 16); // into the next plane
        QCOMPARE(layout.neighbour(16, -1, 0), 3);
        QCOMPARE(layout.neighbour(0, -1, 0), 0);
        QCOMPARE(layout.neighbour(63, 0, 1), 63);
    }

    void fieldsHoldEveryDeviceOnce_data()
    {
        QTest::addColumn<QString>("devices");
        for (const char* text : { "cpu:8", "gpu:4x8", "tpu-v2:8x8", "tpu-v4:4x4x4", "2*tpu-v5e:4x4", "tpu-v7:2x2x2" })
            QTest::newRow(text) << QString::fromLatin1(text);
    }
    void fieldsHoldEveryDeviceOnce()
    {
        QFETCH(QString, devices);
        const DevicePlaces places(*parseDevices(devices.toStdString()));
        const auto check = [&](const DeviceField& field) {
            std::set<std::int32_t> seen;
            for (std::size_t cell = 0; cell < field.devices.size(); ++cell)
                if (field.devices[cell] >= 0) {
                    seen.insert(field.devices[cell]);
                    QCOMPARE(
                        field.cells[static_cast<std::size_t>(field.devices[cell])], static_cast<std::int64_t>(cell));
                }
            QCOMPARE(static_cast<std::int64_t>(seen.size()), places.count());
        };
        check(machineField(places));
        check(meshField(meshOf({ { "a", places.count() / 2 }, { "b", 2 } })));
        check(meshField(meshOf({ { "a", places.count() } })));
        // An own list of the same devices lies the same.
        std::vector<DevicePlace> list;
        DeviceList(places.set()).forEach([&](const DevicePlace& place) { list.push_back(place); });
        const DevicePlaces own(*DeviceSet::ofList(places.set().kind, places.set().platform, std::move(list)));
        QCOMPARE(machineField(own).devices, machineField(places).devices);
    }

    void chipsByCoordinates()
    {
        const DevicePlaces places(cube.hardware.devices);
        const DeviceField field = machineField(places);
        QCOMPARE(field.shape, (MapShape{ 4, 4, 4, 4, 1 }));
        QCOMPARE(field.devices[static_cast<std::size_t>(field.shape.cell(2, 1, 3))], 2 * 16 + 1 * 4 + 3);
        QCOMPARE(words::plain(field.heading()), QStringLiteral("x across, y down, z beside"));
        QCOMPARE(words::plain(field.title({ 2, 0, 4, 0, 4 })), QStringLiteral("z 2"));
        QCOMPARE(placeText(places, 39), QStringLiteral("d39: x 3, y 1, z 2, host 9"));
        // Both cores of a chip side by side.
        const DeviceField cores = machineField(DevicePlaces(*parseDevices("tpu-v2:4x4")));
        QCOMPARE(cores.shape, (MapShape{ 8, 4, 1, 1, 2 }));
        QCOMPARE(cores.devices[1], 1);
        const DeviceField hosts = machineField(DevicePlaces(*parseDevices("gpu:4x8")));
        QCOMPARE(hosts.shape, (MapShape{ 8, 4, 1, 1, 1 }));
        QCOMPARE(words::plain(hosts.heading()), QStringLiteral("device across, host down"));
    }

    void tilesInWords()
    {
        const DevicePlaces places(*parseDevices("tpu-v4:32x32x16"));
        const DeviceField field = machineField(places);
        std::vector<std::int32_t> hosts;
        for (std::int32_t id = 0; id < places.count(); ++id)
            hosts.push_back(places.host(id));
        QCOMPARE(hostTile(field, hosts), (MapTile{ 2, 2 }));
        QCOMPARE(field.place({ 3, 0, 8, 8, 16 }), QStringLiteral("z 3, y 0–7, x 8–15"));
        QCOMPARE(field.extent({ 8, 8 }), QStringLiteral("y 8 × x 8"));
        QCOMPARE(words::plain(field.rowName(8, 16)), QStringLiteral("y 8–15"));
        QCOMPARE(field.devicesOf({ 1, 1, 2, 2, 4 }).ids(), (std::vector<std::int32_t>{ 1024 + 32 + 2, 1024 + 32 + 3 }));
        const DeviceField rows = meshField(meshOf({ { "data", 1024 }, { "model", 16 } }));
        QCOMPARE(rows.extent({ 1, 64 }), QStringLiteral("data 64"));
        QCOMPARE(hostTile(rows, hosts), MapTile{}); // hosts of 2 x 2 chips are no runs of ids
        for (std::size_t id = 0; id < hosts.size(); ++id)
            hosts[id] = static_cast<std::int32_t>(id / 8);
        QCOMPARE(hostTile(rows, hosts), (MapTile{ 8, 1 }));
        // Chips with two cores, and a single long axis in lines.
        const DeviceField cores = machineField(DevicePlaces(*parseDevices("tpu-v2:4x4")));
        QCOMPARE(cores.place({ 0, 0, 1, 2, 6 }), QStringLiteral("y 0, x 1–2"));
        const DeviceField line = meshField(meshOf({ { "data", 64 } }));
        QCOMPARE(words::plain(line.rowName(1, 3)), QStringLiteral("data 8–23"));
        // More planes than can be told apart stand below each other.
        const DeviceField many = meshField(meshOf({ { "a", 16 }, { "b", 16 }, { "c", 4 }, { "d", 4 } }));
        QCOMPARE(many.shape, (MapShape{ 4, 1024, 1, 1, 1 }));
        QCOMPARE(many.rows.name, QStringLiteral("a × b × c"));
    }

    /// A path belongs to its first and to its last cell, whichever way it goes.
    void pathsReachTheirEnds()
    {
        const auto cell = [](int column, int row) { return QRectF(column * 40, row * 20, 36, 16); };
        const QPolygonF right = pathBeside({ cell(0, 0), cell(1, 0), cell(2, 0) });
        QVERIFY(right.first().x() < cell(0, 0).center().x() && right.last().x() > cell(2, 0).center().x());
        for (const QPointF& point : right)
            QCOMPARE(point.y(), cell(0, 0).bottom() + 1);
        const QPolygonF left = pathBeside({ cell(2, 1), cell(1, 1) });
        QVERIFY(left.first().x() > cell(2, 1).center().x() && left.last().x() < cell(1, 1).center().x());
        const QPolygonF down = pathBeside({ cell(0, 0), cell(0, 1), cell(0, 2) });
        QCOMPARE(down.first().y(), cell(0, 0).top());
        QVERIFY(down.last().y() > cell(0, 2).center().y());
        const QPolygonF up = pathBeside({ cell(0, 2), cell(0, 1) });
        QVERIFY(up.first().y() > cell(0, 2).center().y());
        QCOMPARE(up.last().y(), cell(0, 1).top());
        // There and back: the turn is at the far side of the row, beside the names.
        const QPolygonF snake = pathBeside({ cell(0, 0), cell(1, 0), cell(1, 1), cell(0, 1) });
        for (qsizetype i = 1; i < snake.size(); ++i)
            QVERIFY(snake[i].x() == snake[i - 1].x() || snake[i].y() == snake[i - 1].y());
        QVERIFY(snake.last().x() < cell(0, 1).center().x());
        QVERIFY(pathBeside({}).isEmpty());
    }

    /// Hues that come again have other corners, and titles stand over all panels or over none.
    void manyColoursAreToldApart()
    {
        const Mesh mesh = *Mesh::create({ { "data", 2 }, { "model", 16 } });
        QVERIFY(fillsAlongAxis(Theme::light(), mesh, 0).marks.empty());
        const std::vector<std::uint8_t> marks = fillsAlongAxis(Theme::light(), mesh, 1).marks;
        QCOMPARE(marks.size(), std::size_t{ 32 });
        QCOMPARE(marks[7], std::uint8_t{ 0 });
        QCOMPARE(marks[8], std::uint8_t{ 1 });
        QCOMPARE(marks[24], std::uint8_t{ 1 });
        Appearance appearance(ThemeChoice::Dark);
        test::Fixture fixture(on("tpu-v4:16x32x32", { { "data", 1024 }, { "model", 16 } }));
        TopologyView view(&fixture.document, &fixture.selection);
        view.resize(590, 370);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY(!view.grab().isNull());
        QVERIFY2(view.caption().contains(QStringLiteral("in bands of their ")), qPrintable(view.caption()));
        QCOMPARE(words::plain(view.mesh()->field()->heading(true)), QStringLiteral("model →, data ↓"));
    }

    /// From all of 16,384 devices to a host, to devices, to what one holds, and back.
    void zoomingTheMachine()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(on("tpu-v4:32x32x16", { { "data", 1024 }, { "model", 16 } }));
        fixture.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        TopologyView view(&fixture.document, &fixture.selection);
        view.resize(700, 560);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY2(view.caption().startsWith(QStringLiteral("16,384 devices, 16 different shards. 1,024 groups of 16 "
                                                          "devices along model.")),
            qPrintable(view.caption()));
        QVERIFY2(view.caption().contains(QStringLiteral("Mesh: Each tile is")), qPrintable(view.caption()));
        DeviceMap* map = view.machine();
        QCOMPARE(map->zoom(), MapZoom::Fit);
        QVERIFY(map->layoutOfCells().cellsPerTile() > 4);
        QVERIFY(map->trail().isEmpty() && map->canZoomIn() && !map->canZoomOut());
        // A tile is selected with all its devices, and said as what it is.
        const QPoint first = map->shownRect(0).center();
        QTest::mouseMove(map, first);
        QTRY_COMPARE(
            fixture.selection.hoveredDevices().size(), static_cast<std::size_t>(map->layoutOfCells().cellsPerTile()));
        QVERIFY2(view.caption().contains(QStringLiteral("z 0, y 0–")), qPrintable(view.caption()));
        QTest::mouseClick(map, Qt::LeftButton, {}, first);
        QCOMPARE(fixture.selection.devices().size(), static_cast<std::size_t>(map->layoutOfCells().cellsPerTile()));

        const std::int64_t cell = map->field()->cells[5000];
        map->zoomIn(cell);
        QCOMPARE(map->zoom(), MapZoom::Hosts);
        QCOMPARE(map->layoutOfCells().tile(), (MapTile{ 2, 2 }));
        QVERIFY(map->rect().contains(map->shownRect(cell)));
        QVERIFY(!map->grab().isNull());

        map->zoomIn(cell);
        QCOMPARE(map->zoom(), MapZoom::Devices);
        QVERIFY(map->rect().contains(map->shownRect(cell)));
        QVERIFY(!map->grab().isNull());

        QWheelEvent nearer(map->shownRect(cell).center(), map->mapToGlobal(map->shownRect(cell).center()), {},
            { 0, 120 }, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(map, &nearer);
        QCOMPARE(map->zoom(), MapZoom::Holdings);
        QVERIFY(map->rect().contains(map->shownRect(cell)));
        QVERIFY(!map->canZoomIn());
        QCOMPARE(map->trail().size(), 4);
        QCOMPARE(map->trail().front(), QStringLiteral("16,384 devices"));
        QCOMPARE(map->trail().back(), QStringLiteral("what d5000 holds"));
        QVERIFY(!map->grab().isNull());

        // Walking scrolls; dragging does, and selects nothing.
        map->setFocus();
        QTest::mouseClick(map, Qt::LeftButton, {}, map->shownRect(cell).center());
        QCOMPARE(fixture.selection.devices(), (std::vector<std::int32_t>{ 5000 }));
        for (int i = 0; i < 12; ++i)
            QTest::keyClick(map, Qt::Key_Right);
        QVERIFY(map->rect().contains(map->shownRect(cell + 12)));
        QVERIFY(!map->rect().contains(map->shownRect(cell)));
        const QRect before = map->shownRect(cell + 12);
        QTest::mousePress(map, Qt::LeftButton, {}, before.center());
        QTest::mouseMove(map, before.center() + QPoint(0, -20));
        QTest::mouseMove(map, before.center() + QPoint(0, -40));
        QTest::mouseRelease(map, Qt::LeftButton, {}, before.center() + QPoint(0, -40));
        QCOMPARE(map->shownRect(cell + 12).top(), before.top() - 40);
        QCOMPARE(fixture.selection.devices(), (std::vector<std::int32_t>{ 5000 }));
        QTest::keyClick(map, Qt::Key_Minus);
        QCOMPARE(map->zoom(), MapZoom::Devices);
        QTest::keyClick(map, Qt::Key_0);
        QCOMPARE(map->zoom(), MapZoom::Fit);
        QTest::keyClick(map, Qt::Key_Plus);
        QCOMPARE(map->zoom(), MapZoom::Hosts);
        map->zoomTo(0);
        QVERIFY(map->trail().isEmpty());
        // The mesh has other levels: this order scatters the devices of a host.
        view.mesh()->zoomIn(std::nullopt);
        QCOMPARE(view.mesh()->zoom(), MapZoom::Devices);
        QVERIFY(!view.mesh()->grab().isNull());
        view.mesh()->zoomIn();
        view.resize(1000, 700);
    }

    void colours()
    {
        const Theme& theme = Theme::light();
        const Mesh mesh = *makeMesh(cube.hardware.devices, cube.mesh);
        const auto model = fillsAlongAxis(theme, mesh, 1).colours;
        QCOMPARE(std::set<QRgb>(model.begin(), model.end()).size(), std::size_t{ 4 });
        for (std::int32_t device = 0; device < 64; ++device) // model is x
            QCOMPARE(model[static_cast<std::size_t>(device)], model[static_cast<std::size_t>(device % 4)]);
        const auto data = fillsAlongAxis(theme, mesh, 0).colours;
        QCOMPARE(std::set<QRgb>(data.begin(), data.end()).size(), std::size_t{ 16 });
        const Mesh large = *Mesh::create({ { "data", 4096 } });
        QCOMPARE(neighboursPerColour(4096), 128);
        const auto many = fillsAlongAxis(theme, large, 0).colours;
        QCOMPARE(std::set<QRgb>(many.begin(), many.end()).size(), std::size_t{ 32 });
        QCOMPARE(many[0], many[127]);
        QVERIFY(many[127] != many[128]);
    }

    /// TPU v4 of 4 x 4 x 4 with two mesh axes.
    void theCube()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(cube);
        TopologyView view(&fixture.document, &fixture.selection);
        view.resize(700, 560);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.controls()->facts(), QStringLiteral("64 chips, 64 devices, 16 hosts of 2 × 2 × 1, 1 slice"));
        QCOMPARE(view.keyFigure(), QStringLiteral("64 devices"));
        QCOMPARE(view.controls()->presets()->currentText(), QStringLiteral("tpu-v4:4x4x4"));
        QVERIFY(view.controls()->message().isEmpty());
        QVERIFY2(view.reason().contains(QStringLiteral("model = x 4")), qPrintable(view.reason()));
        QVERIFY2(view.reason().contains(QStringLiteral("data = y 4 × z 4")), qPrintable(view.reason()));
        // The last axis is the one that is drawn: along x, a ring.
        QCOMPARE(view.machine()->path().devices, (std::vector<std::int32_t>{ 0, 1, 2, 3 }));
        QVERIFY2(view.pathText().contains(QStringLiteral("a ring")), qPrintable(view.pathText()));
        fixture.selection.setMeshAxis(QStringLiteral("data"));
        QCOMPARE(view.machine()->path().devices,
            (std::vector<std::int32_t>{ 0, 16, 32, 48, 4, 20, 36, 52, 8, 24, 40, 56, 12, 28, 44, 60 }));
        // Of the device that is selected.
        fixture.selection.setDevices({ 2 });
        QCOMPARE(view.machine()->path().devices.front(), 2);
        QCOMPARE(view.machine()->path().devices[1], 18);
        // Pointing at a device of one map lights it in the other, and everywhere.
        const DeviceField& field = *view.machine()->field();
        const auto cell = field.cells[33];
        QTest::mouseMove(view.machine(), view.machine()->layoutOfCells().rectOf(cell).center());
        QTRY_COMPARE(fixture.selection.hoveredDevices(), (std::vector<std::int32_t>{ 33 }));
        QCOMPARE(view.machine()->describe(33), QStringLiteral("d33: x 1, y 0, z 2, host 8; data 2, model 1"));
        QTest::mouseClick(view.machine(), Qt::LeftButton, {}, view.machine()->layoutOfCells().rectOf(cell).center());
        QCOMPARE(fixture.selection.devices(), (std::vector<std::int32_t>{ 33 }));
        // By keyboard through the mesh.
        view.mesh()->setFocus();
        QTest::keyClick(view.mesh(), Qt::Key_Home);
        QTest::keyClick(view.mesh(), Qt::Key_Right);
        QTest::keyClick(view.mesh(), Qt::Key_Down);
        QTest::keyClick(view.mesh(), Qt::Key_Space);
        QCOMPARE(fixture.selection.devices(), (std::vector<std::int32_t>{ 17 }));
        QCOMPARE(view.mesh()->tableRowCount(), 64);
        QCOMPARE(view.mesh()->tableText(5, 0), QStringLiteral("d17: x 1, y 0, z 1, host 4; data 1, model 1"));
    }

    void devicesAreChosen()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture;
        TopologyView view(&fixture.document, &fixture.selection);
        QVERIFY(view.controls()->chooseDevices(QStringLiteral("tpu-v4:4x4x4")));
        fixture.document.waitForAnalysis();
        QCOMPARE(fixture.document.experiment()->mesh.axes[0].size, 16);
        QCOMPARE(view.controls()->facts().left(8), QStringLiteral("64 chips"));
        QVERIFY(view.reason().contains(QStringLiteral("in the order of their ids")));
        test::named<QPushButton>(view.controls(), u"Auto mesh"_s)->click();
        fixture.document.waitForAnalysis();
        QCOMPARE(fixture.document.experiment()->mesh.order.method, OrderMethod::CreateDeviceMesh);
        QVERIFY(view.reason().contains(QStringLiteral("whole physical axes")));
        fixture.document.undoStack()->undo();
        fixture.document.undoStack()->undo();
        QCOMPARE(*fixture.document.experiment(), test::example("flax-mlp-logical"));
        // Hosts of a kind without a preset can be resized too.
        Experiment own = on("gpu:4x4", { { "data", 4 }, { "model", 4 } }, OrderMethod::RowMajor);
        own.hardware.devices = DeviceSet::ofHosts("generic-tpu", "tpu", 4, 4);
        test::Fixture generic(own);
        TopologyView other(&generic.document, &generic.selection);
        QCOMPARE(other.controls()->presets()->currentText(), QStringLiteral("generic-tpu:4x4"));
        QVERIFY(other.controls()->chooseDevices(QStringLiteral("generic-tpu:2x8")));
        QCOMPARE(generic.document.experiment()->hardware.devices.hosts, 2);
        QCOMPARE(generic.document.experiment()->hardware.devices.devicesPerHost, 8);
        QCOMPARE(generic.document.experiment()->hardware.devices.kind, std::string("generic-tpu"));
        QVERIFY(!other.controls()->chooseDevices(QStringLiteral("generic-tpu:2x")));
        QVERIFY(!other.controls()->message().isEmpty());
        // What cannot be read is said where it was typed, and nothing changes.
        QVERIFY(!view.controls()->chooseDevices(QStringLiteral("tpu-v9:4x4")));
        QVERIFY2(view.controls()->message().contains(QStringLiteral("tpu-v")), qPrintable(view.controls()->message()));
        QCOMPARE(*fixture.document.experiment(), test::example("flax-mlp-logical"));
        QVERIFY(view.controls()->chooseDevices(QStringLiteral("cpu:2x4")));
        QVERIFY(view.controls()->message().isEmpty());
    }

    void failuresAreExplained()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(on("tpu-v4:4x4x4", { { "data", 8 }, { "model", 8 } }));
        TopologyView view(&fixture.document, &fixture.selection);
        QVERIFY2(
            view.controls()->message().startsWith(QStringLiteral("E151 ")), qPrintable(view.controls()->message()));
        QVERIFY(view.controls()->message().contains(QStringLiteral("model")));
        QVERIFY(!view.mesh()->field());
        QVERIFY(view.machine()->field());
        QVERIFY(!view.controls()->fixButtons().empty());
        QCOMPARE(view.controls()->fixButtons().front()->text(), QStringLiteral("Fix: share physical axes"));
        view.controls()->fixButtons().front()->click();
        fixture.document.waitForAnalysis();
        QVERIFY2(view.controls()->message().isEmpty(), qPrintable(view.controls()->message()));
        QVERIFY(view.reason().contains(QStringLiteral("share the physical axes")));
        QVERIFY(view.mesh()->field());
    }

    /// A machine of one's own, device by device, and what is wrong with a list.
    void ownDevices()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(on("tpu-v4:2x2x1", { { "data", 2 }, { "model", 2 } }, OrderMethod::RowMajor));
        TopologyView view(&fixture.document, &fixture.selection);
        view.resize(700, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        DeviceListEditor* list = view.controls()->findChild<DeviceListEditor*>();
        QVERIFY(!list->isVisible());
        view.controls()->showList(true);
        QVERIFY(list->isVisible() && list->edit()->hasFocus());
        // It begins with the devices that there are.
        QVERIFY2(list->problem().isEmpty(), qPrintable(list->problem()));
        QVERIFY(list->edit()->toPlainText().contains(QStringLiteral("kind: TPU v4")));
        const Experiment before = *fixture.document.experiment();
        const char* const bad[] = { "", "kind: TPU v4\n", "0 0 0 0", "0 0 0 0 0\n0 0 1 0 0\n", "0 zero 0 0 0\n",
            "-1 0 0 0 0\n", "platform: abacus\n0 0 0 0 0\n", "sort: of\n", "99999999999999999999 0 0 0 0\n" };
        for (const char* text : bad) {
            list->edit()->setPlainText(QString::fromUtf8(text));
            QVERIFY2(list->problem().size() > 12, text);
            QVERIFY(!list->applyButton()->isEnabled());
            QTest::keyClick(list->edit(), Qt::Key_Return, Qt::ControlModifier);
            QCOMPARE(list->edit()->toPlainText(), QString::fromUtf8(text)); // to be mended
        }
        // A gap in the ids is found when the list is to be used.
        list->edit()->setPlainText(QStringLiteral("0 0 0 0 0\n5 0 1 0 0\n"));
        list->applyButton()->click();
        QVERIFY2(view.controls()->message().contains(QStringLiteral("1 is missing")),
            qPrintable(view.controls()->message()));
        QVERIFY(list->isVisible());
        QVERIFY(*fixture.document.experiment() == before);
        // Six chips of a broken slice, on two hosts.
        list->edit()->setPlainText(QStringLiteral("kind: TPU v4\n0 0 0 0 0\n1 0 1 0 0\n2 0 2 0 0\n3 1 0 1 0\n"
                                                  "4 1 1 1 0\n5 1 2 1 0\n"));
        QVERIFY2(list->problem().isEmpty(), qPrintable(list->problem()));
        QTest::keyClick(list->edit(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!list->isVisible());
        fixture.document.waitForAnalysis();
        const DeviceSet& devices = fixture.document.experiment()->hardware.devices;
        QCOMPARE(devices.own.size(), 6U);
        QCOMPARE(devices.hosts, 2);
        QCOMPARE(view.keyFigure(), QStringLiteral("6 devices"));
        QVERIFY(view.machine()->field());
        QVERIFY(!view.grab().isNull());
        // Written again it is the same list.
        view.controls()->showList(true);
        QVERIFY(list->edit()->toPlainText().contains(QStringLiteral("5 1 2 1 0 0 0")));
        QTest::keyClick(list->edit(), Qt::Key_Escape);
        QVERIFY(!list->isVisible());
        fixture.document.undoStack()->undo();
        QVERIFY(*fixture.document.experiment() == before);
    }

    void optionsOfTheBuilders()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(on("tpu-v4:4x4x4", { { "data", 16 }, { "model", 4 } }));
        TopologyView view(&fixture.document, &fixture.selection);
        const auto box = [&](const QString& text) -> QCheckBox* {
            for (auto* each : view.findChildren<QCheckBox*>())
                if (each->text() == text)
                    return each;
            return nullptr;
        };
        QCheckBox* contiguous = box(QStringLiteral("Contiguous submeshes"));
        QVERIFY(contiguous && !contiguous->isHidden());
        contiguous->click();
        fixture.document.waitForAnalysis();
        QVERIFY(fixture.document.experiment()->mesh.order.contiguousSubmeshes);
        // Whether the topology has them or not, it is said.
        QVERIFY2(view.controls()->message().contains(QStringLiteral("contiguous"))
                || view.reason().contains(QStringLiteral("contiguous")),
            qPrintable(view.controls()->message() + view.reason()));
        fixture.document.undoStack()->undo();
        QVERIFY(!contiguous->isChecked());
        QCheckBox* byHost = box(QStringLiteral("Hosts as slices"));
        QVERIFY(byHost && byHost->isHidden());
        fixture.document.setExperiment(on("gpu:4x8", { { "data", 4 }, { "model", 8 } }, OrderMethod::Hybrid), {});
        fixture.document.waitForAnalysis();
        QVERIFY(!byHost->isHidden() && contiguous->isHidden());
        byHost->click();
        fixture.document.waitForAnalysis();
        QVERIFY(fixture.document.experiment()->mesh.order.byHost);
        QVERIFY2(view.controls()->message().isEmpty(), qPrintable(view.controls()->message()));
    }

    void t5xAndSlices()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(on("tpu-v2:8x8", { { "data", 32 }, { "model", 4 } }, OrderMethod::T5x));
        TopologyView view(&fixture.document, &fixture.selection);
        QVERIFY2(view.reason().contains(QStringLiteral("The table of default meshes has the submesh")),
            qPrintable(view.reason()));
        auto* option = view.controls()->findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(option);
        option->setText(QStringLiteral("3x1 × 1, 1"));
        QVERIFY(QMetaObject::invokeMethod(option, "editingFinished"));
        fixture.document.waitForAnalysis();
        QVERIFY2(
            view.controls()->message().startsWith(QStringLiteral("E163 ")), qPrintable(view.controls()->message()));
        // The machine shows what it fails on: of 8 along x, 3 × 2 are used, and those at x 6 and 7 are left over.
        const std::vector<MapRegion>& regions = view.machine()->regions();
        QCOMPARE(regions.size(), std::size_t{ 2 });
        QCOMPARE(regions[0].kind, MapRegion::Kind::Asked);
        QCOMPARE(regions[0].devices.size(), std::size_t{ 3 });
        QCOMPARE(regions[1].kind, MapRegion::Kind::Wrong);
        QCOMPARE(regions[1].devices.size(), std::size_t{ 2 * 8 * 2 });
        QVERIFY2(view.mesh()->accessibleDescription().contains(QStringLiteral("x: 3 does not divide 8")),
            qPrintable(view.mesh()->accessibleDescription()));
        view.resize(700, 500);
        QVERIFY(!view.grab().isNull());
        option->setText(QStringLiteral("x"));
        QVERIFY(QMetaObject::invokeMethod(option, "editingFinished"));
        QVERIFY(view.controls()->message().contains(QStringLiteral("2 × 2 × 1 × 1")));

        fixture.document.setExperiment(
            on("2*tpu-v4:2x2x4", { { "data", 8 }, { "model", 4 } }, OrderMethod::Hybrid), {});
        fixture.document.waitForAnalysis();
        QVERIFY2(view.reason().contains(QStringLiteral("2 slices")), qPrintable(view.reason()));
        QVERIFY(view.machine()->regions().empty());
        option->setText(QStringLiteral("model=2"));
        QVERIFY(QMetaObject::invokeMethod(option, "editingFinished"));
        fixture.document.waitForAnalysis();
        QCOMPARE(fixture.document.experiment()->mesh.order.dcn, (std::vector<MeshAxis>{ { "model", 2 } }));
        QVERIFY(view.controls()->message().isEmpty());
        QVERIFY2(view.pathText().contains(QStringLiteral("between slices")), qPrintable(view.pathText()));
    }

    void manyDevicesArePaintedAtOnce()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(on("tpu-v4:32x32x64", { { "data", 4096 }, { "model", 16 } }, OrderMethod::RowMajor));
        TopologyView view(&fixture.document, &fixture.selection);
        view.resize(700, 560);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY(!view.grab().isNull());
        QVERIFY(view.machine()->layoutOfCells().side() >= 1);
        QVERIFY(view.mesh()->layoutOfCells().side() >= 1);
        QCOMPARE(view.machine()->tableRowCount(), 65'536);
        const auto cell =
            view.machine()->layoutOfCells().cellAt(view.machine()->layoutOfCells().panels()[5].rect.center());
        QVERIFY(cell.has_value());
    }

    void hosts()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(cube);
        HostsView view(&fixture.document, &fixture.selection);
        QAbstractItemModelTester list(view.hosts(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester table(view.arrays(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(view.keyFigure(), QStringLiteral("16 hosts"));
        QCOMPARE(view.hosts()->rowCount(), 16);
        // In this order the chips of a host stand at y 0 and 1: 4 apart along data, with others between them.
        QVERIFY2(view.summary().contains(QStringLiteral("scattered")), qPrintable(view.summary()));
        // It has no chunk, but shards.
        QCOMPARE(view.arrays()->rowCount(), static_cast<int>(fixture.snapshot().tensors.size()));
        fixture.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        const auto scattered = view.arrays()->index(view.table()->currentIndex().row(), HostArraysModel::Chunk);
        QCOMPARE(scattered.data().toString(), QStringLiteral("shards 0, 1 of 4"));
        QCOMPARE(scattered.siblingAtColumn(HostArraysModel::Replica).data().toString(), QStringLiteral("–"));
        Experiment plain = cube;
        plain.mesh.order = {};
        fixture.document.setExperiment(plain, {});
        fixture.document.waitForAnalysis();
        QCOMPARE(view.arrays()->rowCount(), static_cast<int>(fixture.snapshot().tensors.size()));
        QVERIFY2(view.summary().contains(QStringLiteral("reads rows 0–31")), qPrintable(view.summary()));
        // The list and the selection follow each other.
        view.list()->setCurrentIndex(view.hosts()->index(3));
        QCOMPARE(view.current(), 3);
        QCOMPARE(fixture.selection.devices(), (std::vector<std::int32_t>{ 10, 11, 14, 15 }));
        fixture.selection.setDevices({ 63 });
        QCOMPARE(view.current(), 15);
        fixture.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        QCOMPARE(view.table()->currentIndex().row(), view.arrays()->rowOf(QStringLiteral("params/layers.0/W1")));
        const int row = view.table()->currentIndex().row();
        const auto text = [&](int column) { return view.arrays()->index(row, column).data().toString(); };
        QCOMPARE(text(HostArraysModel::Chunk), QStringLiteral("all, 512–1023"));
        QCOMPARE(text(HostArraysModel::Replica), QStringLiteral("7"));
        QCOMPARE(text(HostArraysModel::Writes), QStringLiteral("host 1 writes it"));
        view.table()->setCurrentIndex(view.arrays()->index(0, 0));
        QCOMPARE(fixture.selection.tensor(), view.arrays()->index(0, 0).data(HostArraysModel::PathRole).toString());
        fixture.selection.setDevices({ 0 });
        QCOMPARE(view.arrays()->index(row, HostArraysModel::Writes).data().toString(), QStringLiteral("2 MiB"));
    }
};

REGISTER_TEST(TestTopology)
#include "test_topology.moc"

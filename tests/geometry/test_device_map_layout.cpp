// SPDX-License-Identifier: GPL-3.0-or-later
// Where the devices of a machine, or of a mesh, stand in a map, and what its parts are called.
#include <QTest>
#include <set>

#include "experiment/mesh_order.h"
#include "geometry/device_field.h"
#include "mesh/device_presets.h"
#include "registered_test.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

MeshPtr meshOf(std::vector<MeshAxis> axes)
{
    return std::make_shared<const Mesh>(*Mesh::create(std::move(axes)));
}

} // namespace

class TestDeviceMapLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

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

    /// The map calls hosts and slices of an own list by their numbers, as every other place does.
    void hostsHaveTheirOwnNumbers()
    {
        const DevicePlaces hosts(*DeviceSet::ofList("generic-gpu", "gpu", { { 0, 3 }, { 1, 3 }, { 2, 7 }, { 3, 7 } }));
        const DeviceField field = machineField(hosts);
        QCOMPARE(field.place(field.blockOf(2)), QStringLiteral("host 7, device 0"));
        QCOMPARE(words::plain(field.rowName(0, 1)), QStringLiteral("host 3"));
        QCOMPARE(words::plain(field.rowName(0, 2)), QStringLiteral("host 3–7"));
        QCOMPARE(placeText(hosts, 2), QStringLiteral("d2: host 7"));
        std::vector<DevicePlace> list;
        for (std::int32_t id = 0; id < 8; ++id)
            list.push_back({ id, id / 4, { id % 2, id / 2 % 2, 0 }, 0, id < 4 ? 2 : 5 });
        const DeviceField slices = machineField(DevicePlaces(*DeviceSet::ofList("TPU v4", "tpu", std::move(list))));
        QCOMPARE(slices.shape, (MapShape{ 2, 2, 2, 1, 1 }));
        QCOMPARE(words::plain(slices.title({ 1, 0, 2, 0, 2 })), QStringLiteral("slice 5"));
    }

    /// 67 devices in lines of 9: five cells of the last line have none, and a block of them holds nothing.
    void cellsAfterTheLastDeviceHoldNone()
    {
        const MeshPtr mesh = meshOf({ { "data", 67 } });
        const DeviceField field = meshField(mesh);
        QCOMPARE(field.shape, (MapShape{ 9, 8, 1, 1, 1 }));
        const Layout layout(mesh, TensorSharding::fullyReplicated(1), { 4 });
        const DeviceGroup all = DeviceGroup::holders(layout, 0);
        for (std::int64_t cell = 60; cell < field.shape.count(); ++cell) {
            const MapBlock block = field.blockOf(cell);
            const std::int64_t devices = cell < 67 ? 1 : 0;
            QCOMPARE(field.devicesOf(block).size(), devices);
            QCOMPARE(field.meshBlock(block).has_value(), devices == 1);
            QCOMPARE(field.countIn(all, block), devices);
        }
        QCOMPARE(field.devicesOf({ 0, 7, 8, 0, 9 }).size(), 4); // the last line, of which four cells have devices
        QCOMPARE(field.countIn(all, { 0, 6, 8, 3, 6 }), 4); // part of two lines
    }

    void chipsByCoordinates()
    {
        const DevicePlaces places(*parseDevices("tpu-v4:4x4x4"));
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
        // Through the centres, and beside the names of both ends.
        const QList<QPointF> right = pathThrough({ cell(0, 0), cell(1, 0), cell(2, 0) });
        QCOMPARE(right.size(), 3);
        QVERIFY(cell(0, 0).contains(right.first()) && right.first().x() < cell(0, 0).center().x() - 9);
        QVERIFY(cell(2, 0).contains(right.last()) && right.last().x() > cell(2, 0).center().x() + 9);
        for (const QPointF& point : right)
            QCOMPARE(point.y(), cell(0, 0).center().y());
        QCOMPARE(right[1], cell(1, 0).center());
        const QList<QPointF> left = pathThrough({ cell(2, 1), cell(1, 1) });
        QVERIFY(left.first().x() > cell(2, 1).center().x() && left.last().x() < cell(1, 1).center().x());
        const QList<QPointF> down = pathThrough({ cell(0, 0), cell(0, 1), cell(0, 2) });
        QVERIFY(down.first().y() < cell(0, 0).center().y() && down.last().y() > cell(0, 2).center().y());
        const QList<QPointF> up = pathThrough({ cell(0, 2), cell(0, 1) });
        QVERIFY(up.first().y() > cell(0, 2).center().y() && up.last().y() < cell(0, 1).center().y());
        // There and back: every turn is in the middle of a cell.
        const QList<QPointF> snake = pathThrough({ cell(0, 0), cell(1, 0), cell(1, 1), cell(0, 1) });
        for (qsizetype i = 1; i < snake.size(); ++i)
            QVERIFY(snake[i].x() == snake[i - 1].x() || snake[i].y() == snake[i - 1].y());
        QCOMPARE(snake[1], cell(1, 0).center());
        QCOMPARE(snake[2], cell(1, 1).center());
        QVERIFY(snake.last().x() < cell(0, 1).center().x());
        const QList<QPointF> alone = pathThrough({ cell(1, 1) });
        QVERIFY(alone.size() == 1 && cell(1, 1).contains(alone.first()));
        QVERIFY(pathThrough({}).isEmpty());
    }

    /// Hues that come again have other corners, and titles stand over all panels or over none.
};

REGISTER_TEST(TestDeviceMapLayout)
#include "test_device_map_layout.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The Mesh dock: geometry of the device map, and axes edited by slider, number, keys and mouse.
#include <QCheckBox>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <algorithm>
#include <set>

#include "document/document.h"
#include "document/selection.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "mesh/device_presets.h"
#include "registered_test.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/device_map.h"
#include "views/mesh_view/mesh_view.h"
#include "views/mesh_view/size_slider.h"
#include "views/theme/appearance.h"

using namespace shardscope;

namespace {

Mesh meshOfDocument(std::vector<MeshAxis> axes, std::vector<std::int32_t> order = {})
{
    return *Mesh::create(std::move(axes), std::move(order));
}

/// Hosts of so many devices for all of the mesh.
MapHosts hostsOn(const DeviceMapLayout& map, const Mesh& mesh, std::int32_t perHost)
{
    const auto hosts = static_cast<std::int32_t>(mesh.deviceCount() / perHost);
    return { map, std::make_shared<const Mesh>(mesh),
        std::make_shared<const DevicePlaces>(DeviceSet::ofHosts("generic-cpu", "cpu", hosts, perHost)) };
}

QString sizes(const Document& document)
{
    QStringList text;
    for (const MeshAxis& axis : document.experiment()->mesh.axes)
        text << QStringLiteral("%1=%2").arg(QString::fromStdString(axis.name)).arg(axis.size);
    return text.join(QLatin1Char(','));
}

} // namespace

class TestMesh : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }

    void squaresCoverTheMesh_data()
    {
        QTest::addColumn<QList<int>>("axes");
        for (const QList<int>& axes : std::initializer_list<QList<int>>{ {}, { 1 }, { 8 }, { 2, 4 }, { 64, 1 },
                 { 8, 8 }, { 2, 2, 16 }, { 1, 64 }, { 512, 1 }, { 128, 32 }, { 12, 4 }, { 7, 3 }, { 1, 4093 },
                 { 4093, 1 }, { 3, 5, 7, 11 }, { 2, 1, 30, 1 }, { 1024, 16 }, { 1024, 1024 } }) {
            QStringList name;
            for (const int size : axes)
                name << QString::number(size);
            QTest::newRow(qPrintable(name.isEmpty() ? QStringLiteral("none") : name.join(QLatin1Char('x')))) << axes;
        }
    }
    void squaresCoverTheMesh()
    {
        QFETCH(QList<int>, axes);
        std::vector<MeshAxis> list;
        for (const int size : axes)
            list.push_back({ "a" + std::to_string(list.size()), size });
        const Mesh mesh = meshOfDocument(list);
        for (const QRect& area : { QRect(60, 20, 300, 76), QRect(60, 20, 320, 160), QRect(0, 0, 900, 700),
                 QRect(10, 10, 40, 30), QRect(0, 0, 1, 1) })
            for (const MapZoom zoom : { MapZoom::Fit, MapZoom::Devices, MapZoom::Names }) {
                const DeviceMapLayout map(mesh, area, {}, zoom);
                QCOMPARE(map.rows() * map.columns(), mesh.deviceCount());
                QVERIFY(zoom == MapZoom::Fit || map.devicesPerSquare() == 1);
                QVERIFY(map.area().left() == area.left() && map.area().width() <= area.width());
                QVERIFY(zoom != MapZoom::Fit || map.area().height() <= area.height());
                const bool seen = map.unit().width() > 0 && map.unit().height() > 0;
                // Walking along the lines meets every square once; squares of a line stand beside each other, lines
                // below each other, and no device is left out or in two squares.
                std::int64_t squares = 0, devices = 0;
                const std::int64_t step = std::max<std::int64_t>(map.lineCount() / 500, 1);
                for (std::int64_t line = 0; line < map.lineCount(); line += step) {
                    const MeshBlock whole = map.blockOfLine(line);
                    std::int64_t inLine = 0;
                    int right = area.left();
                    for (std::int64_t slot = 0; slot < map.slotsPerLine(); ++slot) {
                        const auto square = map.squareIn(line, slot);
                        if (!square)
                            break;
                        ++squares;
                        QCOMPARE(map.lineOf(*square), line);
                        QCOMPARE(map.slotOf(*square), slot);
                        const MeshBlock block = map.blockOf(*square);
                        QVERIFY(block.firstRow >= whole.firstRow && block.endRow <= whole.endRow);
                        QVERIFY(block.firstColumn >= whole.firstColumn && block.endColumn <= whole.endColumn);
                        inLine += block.deviceCount();
                        QVERIFY(block.deviceCount() <= map.devicesPerSquare());
                        QCOMPARE(map.squareOf(map.positionOf(*square)), *square);
                        QCOMPARE(map.squareOf((block.endRow - 1) * map.columns() + block.endColumn - 1), *square);
                        const QRect rect = map.rectOf(*square);
                        QVERIFY(rect.left() >= right);
                        right = rect.right() + 1;
                        if (!seen)
                            continue;
                        QVERIFY(rect.width() >= map.unit().width() && rect.height() >= map.unit().height());
                        QVERIFY(map.area().contains(rect));
                        QCOMPARE(map.squareAt(rect.center()), square);
                        QCOMPARE(map.squareAt(rect.topLeft()), square);
                        QCOMPARE(map.squareAt(rect.bottomRight()), square);
                    }
                    devices += inLine;
                    QCOMPARE(inLine, whole.deviceCount());
                    QVERIFY(line == 0 || !seen || map.lineTop(line) > map.lineTop(line - 1));
                }
                if (step == 1) {
                    QCOMPARE(squares, map.squareCount());
                    QCOMPARE(devices, mesh.deviceCount());
                }
                QVERIFY(!map.squareAt({ -1, -1 }));
            }
    }

    void everyMeshIsLegible_data()
    {
        QTest::addColumn<QList<int>>("axes");
        QTest::addColumn<int>("most"); ///< devices to a square in the room of the default layout
        QTest::newRow("2 x 4") << QList{ 2, 4 } << 1;
        QTest::newRow("8 x 1") << QList{ 8, 1 } << 1;
        QTest::newRow("64 x 1") << QList{ 64, 1 } << 1;
        QTest::newRow("1 x 64") << QList{ 1, 64 } << 1;
        QTest::newRow("8 x 8") << QList{ 8, 8 } << 1;
        QTest::newRow("2 x 2 x 16") << QList{ 2, 2, 16 } << 1;
        QTest::newRow("512 x 1") << QList{ 512, 1 } << 8;
        QTest::newRow("128 x 32") << QList{ 128, 32 } << 64;
        QTest::newRow("1024 x 1024") << QList{ 1024, 1024 } << 16384;
    }
    void everyMeshIsLegible()
    {
        QFETCH(QList<int>, axes);
        QFETCH(int, most);
        std::vector<MeshAxis> list;
        for (const int size : axes)
            list.push_back({ "a" + std::to_string(list.size()), size });
        const Mesh mesh = meshOfDocument(list);
        const MapSizes sizes;
        const DeviceMapLayout map(mesh, QRect(60, 20, 300, 76), sizes);
        const bool single = map.devicesPerSquare() == 1;
        const int side = single ? sizes.smallestDevice : sizes.smallestBlock;
        QVERIFY(map.unit().width() >= side && map.unit().height() >= side);
        QVERIFY2(map.devicesPerSquare() <= most, qPrintable(QString::number(map.devicesPerSquare())));
        // Rows that fit as they are stay as they are.
        const DeviceMapLayout roomy(mesh, QRect(0, 0, 12'000, 12'000), sizes);
        if (mesh.deviceCount() < 1'000'000) {
            QCOMPARE(roomy.devicesPerSquare(), 1);
            QCOMPARE(roomy.lineCount(), roomy.rows());
            QCOMPARE(roomy.slotsPerLine(), roomy.columns());
        }
        const DeviceMapLayout names(mesh, QRect(60, 20, 300, 76), sizes, MapZoom::Names);
        QVERIFY(names.unit().width() >= sizes.name.width() && names.unit().height() >= sizes.name.height());
        // What one scrolls through is long only where the mesh is large.
        QVERIFY(names.slotsPerLine() >= std::min<std::int64_t>(4, mesh.deviceCount()));
    }

    void hostsAreOutlinedTogether()
    {
        const Mesh mesh = meshOfDocument({ { "data", 2 }, { "model", 4 } });
        const DeviceMapLayout map(mesh, QRect(0, 0, 400, 100), {});
        const auto boxes = [&map](const Mesh& subject, std::int32_t perHost) {
            return hostBoxes(map, hostsOn(map, subject, perHost), 0, map.lineCount() - 1);
        };
        const auto rows = boxes(mesh, 4);
        QCOMPARE(rows.size(), std::size_t{ 2 });
        QCOMPARE(rows[1].host, 1);
        QCOMPARE(rows[1].rect, map.tile(4).united(map.tile(7)));
        const auto halves = boxes(mesh, 2);
        QCOMPARE(halves.size(), std::size_t{ 4 });
        const auto all = boxes(mesh, 8);
        QCOMPARE(all.size(), std::size_t{ 1 });
        QCOMPARE(all.front().rect, map.tile(0).united(map.tile(7)));
        // In another device order hosts lie elsewhere: here side by side.
        const Mesh turned = meshOfDocument({ { "data", 2 }, { "model", 4 } }, { 0, 1, 4, 5, 2, 3, 6, 7 });
        const auto beside = boxes(turned, 4);
        QCOMPARE(beside.size(), std::size_t{ 2 });
        QCOMPARE(beside[0].rect, map.tile(0).united(map.tile(5)));
        // Squares of several devices: a host that shares its squares with others has no box.
        const Mesh large = meshOfDocument({ { "data", 512 }, { "model", 1 } });
        const DeviceMapLayout folded(large, QRect(0, 0, 120, 40), {});
        const auto perSquare = static_cast<std::int32_t>(folded.devicesPerSquare());
        QVERIFY(perSquare > 1);
        // Seen from the corners of a square, or, in an order of its own, from each of its devices.
        std::vector<std::int32_t> order(512);
        for (std::int32_t device = 0; device < 512; ++device)
            order[static_cast<std::size_t>(device)] = device;
        std::swap(order[1], order[2]);
        for (const Mesh& subject : { large, meshOfDocument({ { "data", 512 }, { "model", 1 } }, order) }) {
            QCOMPARE(hostBoxes(folded, hostsOn(folded, subject, perSquare), 0, folded.lineCount() - 1).size(),
                static_cast<std::size_t>(512 / perSquare));
            QVERIFY(hostBoxes(folded, hostsOn(folded, subject, perSquare / 2), 0, folded.lineCount() - 1).empty());
        }
        // Chips are numbered along x first, and a host has 2 x 2 of them: 0 1 4 5, 2 3 6 7.
        const MapHosts chips(map, std::make_shared<const Mesh>(mesh),
            std::make_shared<const DevicePlaces>(*DeviceSet::ofChips("TPU v5 lite", { 4, 2, 1 }, { 2, 2, 1 })));
        const auto blocks = hostBoxes(map, chips, 0, map.lineCount() - 1);
        QCOMPARE(blocks.size(), std::size_t{ 2 });
        QCOMPARE(blocks[0].rect, map.tile(0).united(map.tile(5)));
        QCOMPARE(blocks[1].host, 1);
        // In an own list the corners of a square may be on one host and what lies between them on another.
        QVERIFY(perSquare > 2);
        std::vector<DevicePlace> list;
        for (std::int32_t id = 0; id < 512; ++id)
            list.push_back({ id, id % perSquare % (perSquare - 1) == 0 ? 0 : 1, {}, 0, 0 });
        const MapHosts own(folded, std::make_shared<const Mesh>(large),
            std::make_shared<const DevicePlaces>(*DeviceSet::ofList("cpu", "cpu", std::move(list))));
        for (std::int64_t square = 0; square < folded.squareCount(); ++square)
            QCOMPARE(own.ofSquare(folded, square), -1);
    }

    void largeMeshesAreReadAndWalked()
    {
        QLocale::setDefault(QLocale(QLocale::English));
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        Experiment experiment = builtinExamples().front().make();
        experiment.mesh.axes = { { "data", 128 }, { "model", 32 } };
        experiment.hardware.devices.hosts = 512;
        experiment.hardware.devices.devicesPerHost = 8;
        std::get<MlpModel>(experiment.model).settings.batch = 128;
        document.setExperiment(std::move(experiment), {});
        MeshView view(&document, &selection);
        view.resize(360, 276); // the caption has two lines
        selection.setTensor(QStringLiteral("params/layers.0/W1"));
        document.waitForAnalysis();
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        DeviceMap* map = view.map();
        // What a square is, is said.
        const std::int64_t several = map->map().devicesPerSquare();
        QVERIFY(several > 1);
        QCOMPARE(several, 8);
        QVERIFY(map->map().showsHosts());
        QCOMPARE(view.mapCaption(),
            QStringLiteral("Each square is 1 host, 8 devices along model. 4,096 devices, 32 different shards."));
        // The names of lines go through the whole mesh without a gap.
        std::int64_t next = 0;
        for (std::int64_t line = 0; line < map->map().lineCount(); ++line) {
            const MeshBlock block = map->map().blockOfLine(line);
            QCOMPARE(words::plain(map->lineName(line)),
                QStringLiteral("data %1").arg(words::range(block.firstRow, block.endRow)));
            QCOMPARE(block.firstRow, next);
            next = block.endRow;
        }
        QCOMPARE(next, 128);
        // A square that holds several shards lights its own devices.
        QTest::mouseMove(map, map->shownRect(1).center());
        QTRY_COMPARE(selection.hoveredDevices().size(), static_cast<std::size_t>(several));
        const MeshBlock block = map->map().blockOf(1);
        QCOMPARE(selection.hoveredDevices().front(), static_cast<std::int32_t>(map->map().positionOf(1)));
        QVERIFY2(view.mapCaption().contains(QStringLiteral("data %1, model %2")
                                                .arg(words::range(block.firstRow, block.endRow),
                                                    words::range(block.firstColumn, block.endColumn))),
            qPrintable(view.mapCaption()));

        // By keyboard along all squares, each once, in reading order.
        map->setFocus();
        std::set<std::int32_t> seen;
        for (std::int64_t i = 0; i < map->map().squareCount(); ++i) {
            QTest::keyClick(map, Qt::Key_Right);
            QCOMPARE(selection.devices().size(), static_cast<std::size_t>(several));
            seen.insert(selection.devices().begin(), selection.devices().end());
        }
        QCOMPARE(seen.size(), std::size_t{ 4096 });
        QTest::keyClick(map, Qt::Key_Right);
        QVERIFY(std::find(selection.devices().begin(), selection.devices().end(), 4095) != selection.devices().end());

        // Nearer: single devices, then their names; what was walked to stays in sight.
        const std::int32_t current = selection.devices().front();
        QTest::keyClick(map, Qt::Key_Plus);
        QCOMPARE(map->zoom(), MapZoom::Devices);
        QVERIFY(map->rect().contains(map->shownRect(map->map().squareOf(current))));
        QTest::keyClick(map, Qt::Key_Plus);
        QCOMPARE(map->zoom(), MapZoom::Names);
        QVERIFY(!map->canZoomIn());
        QVERIFY(map->rect().contains(map->shownRect(map->map().squareOf(current))));
        QTest::keyClick(map, Qt::Key_Home);
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 0 });
        QVERIFY(map->rect().contains(map->shownRect(0)));
        QCOMPARE(view.mapCaption(), QStringLiteral("d0: data 0, model 0, host 0"));
        // d0 and the first of every other row hold the same.
        QCOMPARE(selection.hoveredDevices().size(), std::size_t{ 128 });
        QTest::keyClick(map, Qt::Key_End);
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 4095 });
        const QRect last = map->shownRect(4095);
        QVERIFY(map->rect().contains(last));
        QTest::mouseMove(map, map->shownRect(4094).center());
        QTRY_VERIFY(view.mapCaption().startsWith(QStringLiteral("d4094:")));
        // The wheel scrolls, with Ctrl it zooms.
        const auto wheel = [map](int turned, Qt::KeyboardModifiers keys) {
            const QPointF at = map->rect().center();
            QWheelEvent event(
                at, map->mapToGlobal(at), {}, QPoint(0, turned), Qt::NoButton, keys, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(map, &event);
        };
        wheel(120, Qt::NoModifier);
        QVERIFY(map->shownRect(4095).top() > last.top());
        wheel(-120, Qt::ControlModifier);
        wheel(-120, Qt::ControlModifier);
        QCOMPARE(map->zoom(), MapZoom::Fit);
        wheel(-120, Qt::ControlModifier);
        QVERIFY(!map->canZoomOut());
        QTRY_VERIFY(map->map().showsHosts()); // the trail is gone
        QTest::mouseDClick(map, Qt::LeftButton, Qt::NoModifier, map->shownRect(0).center());
        QCOMPARE(map->zoom(), MapZoom::Devices);
    }

    void linesAreNamedAfterTheirAxes()
    {
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        DeviceMap map(&selection);
        const auto names = [&](std::vector<MeshAxis> axes, QSize size) {
            map.resize(size);
            const auto mesh = std::make_shared<const Mesh>(meshOfDocument(std::move(axes)));
            const auto hosts = static_cast<std::int32_t>((mesh->deviceCount() + 7) / 8);
            map.setMesh(mesh, DeviceSet::ofHosts("generic-cpu", "cpu", hosts, 8), std::nullopt);
            QStringList list;
            for (std::int64_t line = 0; line < map.map().lineCount(); ++line)
                list << words::plain(map.lineName(line));
            return list;
        };
        QCOMPARE(names({ { "data", 2 }, { "model", 4 } }, { 360, 110 }),
            (QStringList{ QStringLiteral("data 0"), QStringLiteral("data 1") }));
        QCOMPARE(names({ { "data", 64 }, { "model", 1 } }, { 360, 96 }).first(), QStringLiteral("data 0–15"));
        QCOMPARE(names({ { "data", 1 }, { "model", 64 } }, { 360, 96 }).last(), QStringLiteral("model 48–63"));
        QCOMPARE(names({ { "pod", 2 }, { "data", 2 }, { "model", 16 } }, { 420, 110 }).last(),
            QStringLiteral("pod 1, data 1"));
        const QStringList wrapped = names({ { "data", 2 }, { "model", 64 } }, { 420, 140 });
        QCOMPARE(wrapped.first(), QStringLiteral("data 0, model 0–15"));
        QCOMPARE(wrapped.last(), QStringLiteral("data 1, model 48–63"));
        QCOMPARE(names({ { "only", 1 }, { "one", 1 } }, { 360, 96 }), QStringList{ QStringLiteral("only 0") });
    }

    void slidersSnapToSizes()
    {
        Appearance appearance(ThemeChoice::Light);
        SizeSlider slider;
        slider.resize(200, 32);
        slider.setSizes({ 1, 2, 4, 8 }, 2);
        QSignalSpy chosen(&slider, &SizeSlider::sizeChosen);
        QTest::mousePress(&slider, Qt::LeftButton, Qt::NoModifier, slider.handleAt(1));
        QTest::mouseMove(&slider, slider.handleAt(3) - QPoint(9, 0));
        QTest::mouseRelease(&slider, Qt::LeftButton, Qt::NoModifier, slider.handleAt(2));
        QCOMPARE(chosen.first().at(0).toLongLong(), 2);
        QVERIFY(chosen.first().at(1).toBool());
        QCOMPARE(chosen.last().at(0).toLongLong(), 4);
        QVERIFY(!chosen.last().at(1).toBool());
        chosen.clear();
        // A size between two ticks: a step leads to the neighbour on that side.
        slider.setSizes({ 1, 2, 4, 8 }, 3);
        QTest::keyClick(&slider, Qt::Key_Right);
        QTest::keyClick(&slider, Qt::Key_Left);
        QCOMPARE(chosen.at(0).at(0).toLongLong(), 4);
        QCOMPARE(chosen.at(1).at(0).toLongLong(), 2);
    }

    void axesAreEdited()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        document.setExperiment(builtinExamples().front().make(), {});
        MeshView view(&document, &selection);
        view.resize(360, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.rowCount(), std::size_t{ 2 });
        QCOMPARE(view.keyFigure(), QStringLiteral("2 × 4"));

        // The number, one possible size further; the other axis takes the inverse.
        view.row(0)->spinBox()->setFocus();
        QTest::keyClick(view.row(0)->spinBox(), Qt::Key_Up);
        QCOMPARE(sizes(document), QStringLiteral("data=4,model=2"));
        QCOMPARE(document.undoStack()->count(), 1);
        QTest::keyClick(view.row(0)->slider(), Qt::Key_Left);
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));

        // A drag over several sizes is one step.
        SizeSlider* slider = view.row(0)->slider();
        QTest::mousePress(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(1));
        QTest::mouseMove(slider, slider->handleAt(2));
        QTest::mouseMove(slider, slider->handleAt(3));
        QTest::mouseRelease(slider, Qt::LeftButton, Qt::NoModifier, slider->handleAt(3));
        QCOMPARE(sizes(document), QStringLiteral("data=8,model=1"));
        QCOMPARE(document.undoStack()->count(), 3);
        QCOMPARE(document.undoStack()->undoText(), QStringLiteral("data 2 → 8"));
        document.undoStack()->undo();
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));
        QCOMPARE(view.row(0)->spinBox()->value(), 2);

        // Without the product the hardware follows.
        QVERIFY(view.message().isEmpty());
        view.setKeepsProduct(false);
        view.row(1)->spinBox()->setValue(8);
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=8"));
        QVERIFY2(view.message().isEmpty(), qPrintable(view.message()));
        QCOMPARE(document.experiment()->hardware.devices.count(), 16);
        document.undoStack()->undo();
        QCOMPARE(document.experiment()->hardware.devices.count(), 8);
        // Pinned hardware stays, and what does not fit is said in place.
        QTest::mouseClick(view.pin(), Qt::LeftButton);
        QVERIFY(document.experiment()->hardware.pinned && view.pin()->isChecked());
        view.row(1)->spinBox()->setValue(8);
        QVERIFY2(view.message().contains(QStringLiteral("E102")), qPrintable(view.message()));
        QCOMPARE(document.experiment()->hardware.devices.count(), 8);
        document.undoStack()->undo();
        QVERIFY(view.message().isEmpty());
        document.undoStack()->undo();
        QVERIFY(!view.pin()->isChecked());
        // A drag through sizes that hosts do not divide leaves the hosts as they are.
        const DeviceSet devices = document.experiment()->hardware.devices;
        SizeSlider* other = view.row(1)->slider();
        QTest::mousePress(other, Qt::LeftButton, Qt::NoModifier, other->handleAt(2));
        for (const int tick : { 1, 0, 3, 2 })
            QTest::mouseMove(other, other->handleAt(tick));
        QTest::mouseRelease(other, Qt::LeftButton, Qt::NoModifier, other->handleAt(2));
        QCOMPARE(document.experiment()->hardware.devices, devices);
        // What cannot be is refused, said in place, and the control goes back.
        view.setKeepsProduct(true);
        view.row(0)->spinBox()->setValue(3);
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));
        QCOMPARE(view.row(0)->spinBox()->value(), 2);
        QCOMPARE(view.message(),
            QStringLiteral("E115 data = 3: the number of devices is kept, and 8 devices do not divide by 3"));
    }

    /// An experiment without a mesh shows none: nothing of the one before it is left.
    void noMapOfAnotherMesh()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        document.setExperiment(builtinExamples().front().make(), {});
        document.waitForAnalysis();
        MeshView view(&document, &selection);
        view.resize(360, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.map()->tableRowCount(), 8);
        Experiment experiment = builtinExamples().front().make();
        experiment.hardware.devices = *parseDevices("tpu-v4:4x4x4");
        experiment.mesh.axes = { { "data", 16 }, { "model", 4 } };
        experiment.mesh.order.method = OrderMethod::T5x;
        experiment.mesh.order.submesh = { 3, 1, 1, 1 };
        document.setExperiment(experiment, {});
        document.waitForAnalysis();
        QCOMPARE(view.map()->tableRowCount(), 0);
        QVERIFY(!view.grab().isNull());
        view.map()->setFocus();
        for (const Qt::Key key : { Qt::Key_Right, Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Return })
            QTest::keyClick(view.map(), key);
        QVERIFY(selection.devices().empty());
    }

    void axesAreOrderedNamedAddedAndRemoved()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        document.setExperiment(builtinExamples().front().make(), {});
        MeshView view(&document, &selection);
        view.resize(360, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));

        AxisChip* chip = view.row(0)->chip();
        chip->setFocus();
        QTest::keyClick(chip, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(sizes(document), QStringLiteral("model=4,data=2"));
        document.undoStack()->undo();
        // By its handle to below the other axis.
        DragHandle* handle = view.row(0)->handle();
        const QPoint start = handle->rect().center();
        const QPoint below = handle->mapFrom(&view, view.row(1)->geometry().center());
        QTest::mousePress(handle, Qt::LeftButton, Qt::NoModifier, start);
        QTest::mouseMove(handle, start + QPoint(0, 6));
        QTest::mouseMove(handle, below);
        QTest::mouseRelease(handle, Qt::LeftButton, Qt::NoModifier, below);
        QCOMPARE(sizes(document), QStringLiteral("model=4,data=2"));
        document.undoStack()->undo();

        QTest::keyClick(chip, Qt::Key_F2);
        auto* editor = view.row(0)->findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, QStringLiteral("rows"));
        QTest::keyClick(editor, Qt::Key_Return);
        QCOMPARE(sizes(document), QStringLiteral("rows=2,model=4"));
        document.undoStack()->undo();
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));

        QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("addAxis")), Qt::LeftButton);
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4,axis3=1"));
        QCOMPARE(view.rowCount(), std::size_t{ 3 });
        editor = view.row(2)->findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(editor);
        QTest::keyClick(editor, Qt::Key_Escape);
        QTest::keyClick(view.row(2)->chip(), Qt::Key_Delete);
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));
        QCOMPARE(view.rowCount(), std::size_t{ 2 });

        QTest::mouseClick(view.row(1)->chip(), Qt::LeftButton);
        QCOMPARE(selection.meshAxis(), QStringLiteral("model"));
    }

    void undoWhileANewAxisIsBeingNamed()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        document.setExperiment(builtinExamples().front().make(), {});
        MeshView view(&document, &selection);
        view.resize(360, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("addAxis")), Qt::LeftButton);
        QCOMPARE(view.rowCount(), std::size_t{ 3 });
        auto* editor = view.row(2)->findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(editor);
        QVERIFY(editor->hasFocus());
        QTest::keyClicks(editor, QStringLiteral("stage"));
        // As the tool bar does: the row goes while its editor has the focus and an unfinished name.
        document.undoStack()->undo();
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));
        QCOMPARE(view.rowCount(), std::size_t{ 2 });
        QCOMPARE(document.undoStack()->index(), 0);
        QVERIFY(document.undoStack()->canRedo());

        // The same with a number half typed.
        QVERIFY(document.edit(withAxisAdded(*document.experiment(), "stage", 1), QStringLiteral("add")));
        QCOMPARE(view.rowCount(), std::size_t{ 3 });
        auto* spin = view.row(2)->spinBox();
        spin->setFocus();
        QVERIFY(spin->hasFocus());
        spin->selectAll();
        QTest::keyClicks(spin, QStringLiteral("2"));
        document.undoStack()->undo();
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));
        QCOMPARE(view.rowCount(), std::size_t{ 2 });
        QVERIFY(document.undoStack()->canRedo());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));
    }

    void hoveringADeviceLightsItsTwin()
    {
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        document.setExperiment(builtinExamples().front().make(), {});
        MeshView view(&document, &selection);
        view.resize(360, 300);
        selection.setTensor(QStringLiteral("params/layers.0/W1"));
        document.waitForAnalysis();
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        // Host outlines, 3 px around the tiles, keep 8 px to the edge.
        QVERIFY(view.map()->map().area().right() + 3 + 8 < view.map()->width());
        QTest::mouseMove(view.map(), view.map()->map().tile(1).center());
        QTRY_COMPARE(selection.hoveredDevices(), (std::vector<std::int32_t>{ 1, 5 }));
        QTest::mouseClick(view.map(), Qt::LeftButton, Qt::NoModifier, view.map()->map().tile(6).center());
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 6 });
        QTest::keyClick(view.map(), Qt::Key_Right);
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 7 });
    }
};

REGISTER_TEST(TestMesh)
#include "test_mesh.moc"

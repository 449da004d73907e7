// SPDX-License-Identifier: GPL-3.0-or-later
// The docks for devices and hosts: colours, paths, choices, messages with their fixes, and the
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
#include "geometry/device_map_layout.h"
#include "mesh/device_presets.h"
#include "panel_fixture.h"
#include "registered_test.h"
#include "views/device_map/device_colours.h"
#include "views/device_map/device_map.h"
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

const Experiment cube = on("tpu-v4:4x4x4", { { "data", 16 }, { "model", 4 } });

} // namespace

class TestTopology : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

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
        QTRY_COMPARE(fixture.selection.hoveredGroup().ids().size(),
            static_cast<std::size_t>(map->layoutOfCells().cellsPerTile()));
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
        QCOMPARE(neighboursPerGroup(4096), 128);
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
        QTRY_COMPARE(fixture.selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 33 }));
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

    /// No name is shortened while there is room, nor for what a few rows alone need.
    void namesOfArraysHaveTheRoom()
    {
        Appearance appearance(ThemeChoice::Light);
        test::Fixture fixture(test::example("transformer-experts"));
        HostsView view(&fixture.document, &fixture.selection);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QTableView* table = view.table();
        const auto widest = [&](int column) {
            int width = 0;
            for (int row = 0; row < std::min(view.arrays()->rowCount(), 64); ++row)
                width = std::max(
                    width, view.fontMetrics().horizontalAdvance(view.arrays()->index(row, column).data().toString()));
            return width;
        };
        view.resize(1800, 500);
        QTRY_VERIFY(table->columnWidth(HostArraysModel::Array) >= widest(HostArraysModel::Array) + 6);
        QVERIFY(!table->isColumnHidden(HostArraysModel::Shape));
        view.resize(680, 500);
        QTRY_VERIFY(table->isColumnHidden(HostArraysModel::Shape));
        QVERIFY2(table->columnWidth(HostArraysModel::Array) > Metrics::scaled(190),
            qPrintable(QString::number(table->columnWidth(HostArraysModel::Array))));
    }
};

REGISTER_TEST(TestTopology)
#include "test_topology.moc"

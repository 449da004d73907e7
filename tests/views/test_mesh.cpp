// SPDX-License-Identifier: GPL-3.0-or-later
// The Mesh dock: geometry of the device map, and axes edited by slider, number, keys and mouse.
#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include "document/document.h"
#include "document/selection.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/device_map.h"
#include "views/mesh_view/mesh_view.h"
#include "views/mesh_view/size_slider.h"
#include "views/theme/appearance.h"

using namespace shardscope;

namespace {

Mesh meshOf(std::vector<MeshAxis> axes, std::vector<std::int32_t> order = {})
{
    return *Mesh::create(std::move(axes), std::move(order));
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

    void tilesAreFoundWhereTheyAre_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<bool>("raster");
        QTest::newRow("2 x 4") << 2 << 4 << false;
        QTest::newRow("1 x 8") << 1 << 8 << false;
        QTest::newRow("8 x 1") << 8 << 1 << false;
        QTest::newRow("16 x 32") << 16 << 32 << false;
        QTest::newRow("1024 x 64") << 1024 << 64 << true;
    }
    void tilesAreFoundWhereTheyAre()
    {
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(bool, raster);
        const Mesh mesh = meshOf({ { "data", rows }, { "model", columns } });
        const DeviceMapLayout map(mesh, QRect(60, 20, 320, 160), 26);
        QCOMPARE(map.rows(), rows);
        QCOMPARE(map.columns(), columns);
        QCOMPARE(map.isRaster(), raster);
        QVERIFY(QRect(60, 20, 320, 160).contains(map.area()));
        for (std::int64_t position = 0; position < mesh.deviceCount(); position += raster ? 997 : 1) {
            const QRect tile = map.tile(position);
            QVERIFY(raster || map.area().contains(tile));
            if (!raster)
                QCOMPARE(map.positionAt(tile.center()), std::optional(position));
        }
        QVERIFY(!map.positionAt({ 0, 0 }));
    }

    void hostsAreOutlinedTogether()
    {
        const Mesh mesh = meshOf({ { "data", 2 }, { "model", 4 } });
        const DeviceMapLayout map(mesh, QRect(0, 0, 400, 100), 26);
        const auto rows = map.hosts(mesh, 4);
        QCOMPARE(rows.size(), std::size_t{ 2 });
        QCOMPARE(rows[1].host, 1);
        QCOMPARE(rows[1].rect, map.tile(4).united(map.tile(7)));
        const auto halves = map.hosts(mesh, 2);
        QCOMPARE(halves.size(), std::size_t{ 4 });
        const auto all = map.hosts(mesh, 8);
        QCOMPARE(all.size(), std::size_t{ 1 });
        QCOMPARE(all.front().rect, map.tile(0).united(map.tile(7)));
        // In another device order hosts lie elsewhere: here side by side.
        const Mesh turned = meshOf({ { "data", 2 }, { "model", 4 } }, { 0, 1, 4, 5, 2, 3, 6, 7 });
        const auto beside = map.hosts(turned, 4);
        QCOMPARE(beside.size(), std::size_t{ 2 });
        QCOMPARE(beside[0].rect, map.tile(0).united(map.tile(5)));
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

        // Without the product the mesh does not fit the devices, which is said in place.
        QVERIFY(view.message().isEmpty());
        view.setKeepsProduct(false);
        view.row(1)->spinBox()->setValue(8);
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=8"));
        QVERIFY2(view.message().contains(QStringLiteral("E102")), qPrintable(view.message()));
        document.undoStack()->undo();
        QVERIFY(view.message().isEmpty());
        // What cannot be is refused, said in place, and the control goes back.
        view.setKeepsProduct(true);
        view.row(0)->spinBox()->setValue(3);
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));
        QCOMPARE(view.row(0)->spinBox()->value(), 2);
        QVERIFY(!view.message().isEmpty());
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

QTEST_MAIN(TestMesh)
#include "test_mesh.moc"

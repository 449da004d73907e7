// SPDX-License-Identifier: GPL-3.0-or-later
// The Mesh dock: geometry of the device map, and axes edited by slider, number, keys and mouse.
#include <QApplication>
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
#include "views/device_map/device_map.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel/panel.h"
#include "views/theme/appearance.h"
#include "views/widgets/fold_button.h"
#include "views/widgets/size_slider.h"

using namespace shardscope;

namespace {

Mesh meshOfDocument(std::vector<MeshAxis> axes, std::vector<std::int32_t> order = {})
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

    void everyMeshIsLegible_data()
    {
        QTest::addColumn<QList<int>>("axes");
        QTest::addColumn<int>("most"); ///< devices to a tile in the room of the default layout
        QTest::newRow("none") << QList<int>{} << 1;
        QTest::newRow("2 x 4") << QList{ 2, 4 } << 1;
        QTest::newRow("8 x 1") << QList{ 8, 1 } << 1;
        QTest::newRow("64 x 1") << QList{ 64, 1 } << 1;
        QTest::newRow("1 x 64") << QList{ 1, 64 } << 1;
        QTest::newRow("8 x 8") << QList{ 8, 8 } << 1;
        QTest::newRow("2 x 2 x 16") << QList{ 2, 2, 16 } << 1;
        QTest::newRow("512 x 1") << QList{ 512, 1 } << 8;
        QTest::newRow("128 x 32") << QList{ 128, 32 } << 64;
        QTest::newRow("1 x 4093") << QList{ 1, 4093 } << 64;
        QTest::newRow("1024 x 1024") << QList{ 1024, 1024 } << 16384;
    }
    void everyMeshIsLegible()
    {
        QFETCH(QList<int>, axes);
        QFETCH(int, most);
        std::vector<MeshAxis> list;
        for (const int size : axes)
            list.push_back({ "a" + std::to_string(list.size()), size });
        const auto mesh = std::make_shared<const Mesh>(meshOfDocument(list));
        Appearance appearance(ThemeChoice::Light);
        Selection selection;
        DeviceMap map(&selection, QStringLiteral("Device map"), DeviceMap::Room::Flat);
        map.resize(380, 110);
        map.setMesh(mesh, DeviceSet::ofHosts("generic-cpu", "cpu", 1, 8), std::nullopt);
        const DeviceMapLayout& cells = map.layoutOfCells();
        const bool single = cells.cellsPerTile() == 1;
        QVERIFY(cells.tileWidth() >= (single ? 3 : 10) && cells.side() >= (single ? 3 : 10));
        QVERIFY2(cells.cellsPerTile() <= most, qPrintable(QString::number(cells.cellsPerTile())));
        QVERIFY(map.rect().contains(cells.bounds()));
        // Every device is found where it is shown, and the nearest look has names.
        const std::int64_t step = std::max<std::int64_t>(mesh->deviceCount() / 997, 1);
        for (std::int64_t cell = 0; cell < mesh->deviceCount(); cell += step)
            QCOMPARE(cells.blockOf(*cells.cellAt(cells.rectOf(cell).center())), cells.blockOf(cell));
        QVERIFY(!map.grab().isNull());
        while (map.canZoomIn())
            map.zoomIn();
        QVERIFY(map.layoutOfCells().side() >= QFontMetrics(Metrics::small()).ascent() + 3);
        QVERIFY(!map.grab().isNull());
    }

    /// Axes of one device each are not what makes the column of inputs wide.
    void manyAxesTakeNoWidth()
    {
        Appearance appearance(ThemeChoice::Light);
        Experiment experiment = builtinExamples().front().make();
        Document few, many;
        Selection selection;
        few.setExperiment(experiment, {});
        for (int i = 0; i < 10; ++i)
            experiment.mesh.axes.push_back({ "one" + std::to_string(i), 1 });
        many.setExperiment(std::move(experiment), {});
        const MeshView narrow(&few, &selection), wide(&many, &selection);
        QVERIFY2(wide.minimumSizeHint().width() <= narrow.minimumSizeHint().width() + Metrics::scaled(20),
            qPrintable(QString::number(wide.minimumSizeHint().width())));
    }

    /// Nor what makes it high: they are one line, which unfolds.
    void manyAxesOfSizeOneAreOneLine()
    {
        QLocale::setDefault(QLocale(QLocale::English));
        Appearance appearance(ThemeChoice::Light);
        Experiment experiment = builtinExamples().front().make();
        const std::size_t used = experiment.mesh.axes.size();
        const Experiment without = experiment;
        for (int i = 0; i < 10; ++i)
            experiment.mesh.axes.push_back({ "one" + std::to_string(i), 1 });
        Document document;
        Selection selection;
        document.setExperiment(experiment, {});
        MeshView view(&document, &selection);
        view.resize(340, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        auto* idle = view.findChild<FoldButton*>(QStringLiteral("idleAxes"));
        QVERIFY(idle && idle->isVisible() && !idle->isChecked());
        QCOMPARE(idle->text(), QStringLiteral("10 axes of size 1"));
        QCOMPARE(view.keyFigure(), QStringLiteral("2 × 4"));
        const auto shown = [&] {
            QStringList names;
            for (std::size_t i = 0; i < view.rowCount(); ++i)
                if (view.row(i)->isVisible())
                    names << QString::fromStdString(document.experiment()->mesh.axes[i].name);
            return names;
        };
        const QStringList both{ QStringLiteral("data"), QStringLiteral("model") };
        QCOMPARE(shown(), both);
        // Folded are the axes, not the rows in which they stand.
        QTest::keyClick(view.row(1)->chip(), Qt::Key_Down, Qt::AltModifier); // none that is seen stands below
        QCOMPARE(shown(), both);
        QVERIFY(document.edit(withAxisMoved(*document.experiment(), 1, 6), QStringLiteral("move")));
        QCOMPARE(shown(), both);
        QTest::keyClick(view.row(6)->chip(), Qt::Key_Up, Qt::AltModifier); // past all that is not seen
        QVERIFY(sizes(document).startsWith(QStringLiteral("model=4,data=2,")));
        QVERIFY(view.row(0)->chip()->hasFocus());
        QVERIFY(document.edit(withAxisRemoved(*document.experiment(), 0), QStringLiteral("remove")));
        QCOMPARE(shown(), QStringList{ QStringLiteral("data") });
        while (document.undoStack()->canUndo()) {
            document.undoStack()->undo();
            QStringList names = shown();
            names.sort();
            QCOMPARE(names, both);
        }
        QCoreApplication::processEvents(); // rows are laid out again
        DragHandle* handle = view.row(0)->handle();
        const QPoint start = handle->rect().center();
        const QPoint below = handle->mapFrom(&view, view.row(1)->geometry().bottomLeft()) + QPoint(start.x(), 60);
        QTest::mousePress(handle, Qt::LeftButton, Qt::NoModifier, start);
        QTest::mouseMove(handle, start + QPoint(0, 6));
        QTest::mouseMove(handle, below);
        QTest::mouseRelease(handle, Qt::LeftButton, Qt::NoModifier, below);
        QVERIFY2(sizes(document).startsWith(QStringLiteral("model=4,data=2,")), qPrintable(sizes(document)));
        document.undoStack()->undo();
        QCOMPARE(shown(), both);
        idle->click();
        for (std::size_t i = 0; i < view.rowCount(); ++i)
            QVERIFY(view.row(i)->isVisible());
        // One that gets another size is shown when the rest is folded again; one that is added as well.
        view.row(used)->spinBox()->setValue(2);
        idle->click();
        QVERIFY(view.row(used)->isVisible() && !view.row(used + 1)->isVisible());
        view.addAxis();
        QTRY_VERIFY(view.row(view.rowCount() - 1)->isVisible());
        document.setExperiment(without, {});
        QVERIFY(idle->isHidden());
        for (std::size_t i = 0; i < view.rowCount(); ++i)
            QVERIFY(view.row(i)->isVisible());
    }

    /// What a tile stands for is read with many axes, too, and the number of devices is never shortened at its front.
    void manyAxesAreSaidInFull()
    {
        QLocale::setDefault(QLocale(QLocale::English));
        Appearance appearance(ThemeChoice::Light);
        Document document;
        Selection selection;
        Experiment experiment = builtinExamples().front().make();
        experiment.mesh.axes = { { "data", 2 }, { "model", 4 } };
        for (int i = 0; i < 8; ++i)
            experiment.mesh.axes.push_back({ "axis_" + std::to_string(i), 2 });
        experiment.hardware.devices.hosts = 256;
        experiment.hardware.devices.devicesPerHost = 8;
        document.setExperiment(std::move(experiment), {});
        MeshView view(&document, &selection);
        view.resize(260, 480);
        selection.setTensor(QStringLiteral("params/layers.0/W1"));
        document.waitForAnalysis();
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        QTRY_VERIFY2(view.mapCaption().startsWith(QStringLiteral("Each tile is ")), qPrintable(view.mapCaption()));
        RoleLabel *caption = nullptr, *head = nullptr;
        for (RoleLabel* label : view.findChildren<RoleLabel*>()) {
            if (label->text() == view.mapCaption())
                caption = label;
            if (label->text().endsWith(QStringLiteral(" = 2,048 devices")))
                head = label;
        }
        QVERIFY(caption && head);
        QTRY_VERIFY(caption->height() >= caption->heightForWidth(caption->width())
            || caption->height() >= 4 * QFontMetrics(caption->font()).lineSpacing());
        QCOMPARE(caption->toolTip(), view.mapCaption());
        QVERIFY(head->width() >= head->fontMetrics().horizontalAdvance(QStringLiteral("…= 2,048 devices")));
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
        // What a tile is, is said.
        const std::int64_t several = map->layoutOfCells().cellsPerTile();
        QVERIFY(several > 1);
        QVERIFY2(view.mapCaption().startsWith(QStringLiteral("Each tile is ")), qPrintable(view.mapCaption()));
        QVERIFY2(view.mapCaption().endsWith(QStringLiteral(" 4,096 devices, 32 different shards.")),
            qPrintable(view.mapCaption()));
        // A tile that holds several shards lights its own devices.
        const auto tileAt = [&](std::int64_t cell) { return map->layoutOfCells().blockOf(cell); };
        QTest::mouseMove(map, map->shownRect(0).center());
        QTRY_COMPARE(selection.hoveredGroup().ids().size(), static_cast<std::size_t>(several));
        QCOMPARE(selection.hoveredGroup().ids().front(), 0);
        QVERIFY2(view.mapCaption().contains(map->field()->place(tileAt(0))), qPrintable(view.mapCaption()));

        // By keyboard along the tiles of a line, each once, in reading order.
        map->setFocus();
        std::set<std::int32_t> seen;
        QTest::keyClick(map, Qt::Key_Home);
        for (std::int64_t column = 0; column < 32; column += tileAt(0).endColumn) {
            QTest::keyClick(map, Qt::Key_Space);
            QCOMPARE(selection.devices().size(), static_cast<std::size_t>(several));
            seen.insert(selection.devices().begin(), selection.devices().end());
            QTest::keyClick(map, Qt::Key_Right);
        }
        QCOMPARE(seen.size(), static_cast<std::size_t>(32 * tileAt(0).endRow));
        QTest::keyClick(map, Qt::Key_Home);
        QTest::keyClick(map, Qt::Key_Space);

        // Nearer: single devices, then their names; what was walked to stays in sight.
        const std::int32_t current = selection.devices().front();
        while (map->zoom() != MapZoom::Devices)
            QTest::keyClick(map, Qt::Key_Plus);
        QVERIFY(map->rect().contains(map->shownRect(current)));
        QTest::keyClick(map, Qt::Key_Plus);
        QCOMPARE(map->zoom(), MapZoom::Holdings);
        QVERIFY(!map->canZoomIn());
        QVERIFY(map->rect().contains(map->shownRect(current)));
        QTest::keyClick(map, Qt::Key_Home);
        QTest::keyClick(map, Qt::Key_Space);
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 0 });
        QVERIFY(map->rect().contains(map->shownRect(0)));
        QCOMPARE(view.mapCaption(), QStringLiteral("d0: data 0, model 0, host 0"));
        // d0 and the first of every other row hold the same.
        QCOMPARE(selection.hoveredGroup().ids().size(), std::size_t{ 128 });
        QTest::keyClick(map, Qt::Key_End);
        QTest::keyClick(map, Qt::Key_Space);
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
        while (map->canZoomOut())
            wheel(-120, Qt::ControlModifier);
        QCOMPARE(map->zoom(), MapZoom::Fit);
        wheel(-120, Qt::ControlModifier);
        QVERIFY(!map->canZoomOut());
        QTRY_COMPARE(map->layoutOfCells().cellsPerTile(), several); // the trail is gone
        QTest::mouseDClick(map, Qt::LeftButton, Qt::NoModifier, map->shownRect(0).center());
        QVERIFY(map->zoom() != MapZoom::Fit);
    }

    void linesAreNamedAfterTheirAxes()
    {
        const auto rows = [](std::vector<MeshAxis> axes) {
            const DeviceField field = meshField(std::make_shared<const Mesh>(meshOfDocument(std::move(axes))), 2);
            QStringList list;
            for (std::int64_t row = 0; row < field.shape.rows; ++row)
                list << words::plain(field.rowName(row, row + 1));
            return list;
        };
        QCOMPARE(rows({ { "data", 2 }, { "model", 4 } }),
            (QStringList{ QStringLiteral("data 0"), QStringLiteral("data 1") }));
        QCOMPARE(rows({ { "data", 64 }, { "model", 1 } }).first(), QStringLiteral("data 0–15"));
        QCOMPARE(rows({ { "data", 1 }, { "model", 64 } }).last(), QStringLiteral("model 48–63"));
        QCOMPARE(rows({ { "pod", 2 }, { "data", 2 }, { "model", 16 } }).last(), QStringLiteral("data 1"));
        const DeviceField pods = meshField(
            std::make_shared<const Mesh>(meshOfDocument({ { "pod", 2 }, { "data", 2 }, { "model", 16 } })), 2);
        QCOMPARE(words::plain(pods.title({ 1, 0, 2, 0, 16 })), QStringLiteral("pod 1"));
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
        // The wheel is for what the slider stands in.
        chosen.clear();
        const QPoint middle = slider.rect().center();
        QWheelEvent wheel(
            middle, slider.mapToGlobal(middle), {}, { 0, 120 }, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        const int value = slider.value();
        QApplication::sendEvent(&slider, &wheel);
        QVERIFY(!wheel.isAccepted() && chosen.isEmpty());
        QCOMPARE(slider.value(), value);
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
        view.findChild<QCheckBox*>()->setChecked(false);
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
        view.findChild<QCheckBox*>()->setChecked(true);
        view.row(0)->spinBox()->setValue(3);
        QCOMPARE(sizes(document), QStringLiteral("data=2,model=4"));
        QCOMPARE(view.row(0)->spinBox()->value(), 2);
        QCOMPARE(view.message(), QStringLiteral("E115 data = 3: 8 devices cannot be split 3 ways"));
        // What can be is one press away: the sizes beside it, or the devices that it takes.
        const auto offer = [&](const QString& text) {
            for (QPushButton* button : view.findChildren<QPushButton*>())
                if (button->isVisible() && button->text() == text)
                    return button;
            return static_cast<QPushButton*>(nullptr);
        };
        QVERIFY(offer(QStringLiteral("2")) && offer(QStringLiteral("4")));
        QPushButton* devices12 = offer(QStringLiteral("Use 12 devices"));
        QVERIFY(devices12);
        devices12->click();
        QCOMPARE(sizes(document), QStringLiteral("data=3,model=4"));
        QVERIFY(view.message().isEmpty());
        QVERIFY(!offer(QStringLiteral("4")));
        document.undoStack()->undo();
        view.row(0)->spinBox()->setValue(3);
        QPushButton* four = offer(QStringLiteral("4"));
        QVERIFY(four);
        four->click();
        QCOMPARE(sizes(document), QStringLiteral("data=4,model=2"));
        document.undoStack()->undo();
    }

    /// One axis has no other that could take the inverse: its size is free, and the hardware follows.
    void oneAxisIsFree()
    {
        Document document;
        Selection selection;
        Experiment experiment = builtinExamples().front().make();
        experiment.mesh.axes = { { "data", 8 } };
        document.setExperiment(experiment, {});
        MeshView view(&document, &selection);
        view.resize(360, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        QVERIFY(!view.keepsProduct());
        QVERIFY(view.findChild<QCheckBox*>()->isHidden());
        QCOMPARE(view.row(0)->slider()->sizes(), (std::vector<std::int64_t>{ 1, 2, 4, 8, 16 }));
        QTest::keyClick(view.row(0)->slider(), Qt::Key_Left);
        QCOMPARE(sizes(document), QStringLiteral("data=4"));
        QCOMPARE(document.experiment()->hardware.devices.count(), 4);
        // Back again, and on: the ticks reach twice as far as the mesh.
        QTest::keyClick(view.row(0)->slider(), Qt::Key_Right);
        QCOMPARE(sizes(document), QStringLiteral("data=8"));
        QCOMPARE(document.experiment()->hardware.devices.count(), 8);
        // The name of another axis is asked for where its chip is; then the product can be kept.
        QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("addAxis")), Qt::LeftButton);
        QCOMPARE(sizes(document), QStringLiteral("data=8,axis2=1"));
        auto* editor = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(editor);
        const AxisChip* chip = view.row(1)->chip();
        QTRY_VERIFY(chip->x() > 0);
        QTRY_COMPARE(editor->x(), chip->x() - 2);
        QVERIFY(!view.findChild<QCheckBox*>()->isHidden());
        QVERIFY(view.keepsProduct());
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
        QVERIFY(view.map()->layoutOfCells().bounds().right() + 6 < view.map()->width());
        QTest::mouseMove(view.map(), view.map()->shownRect(1).center());
        QTRY_COMPARE(selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 1, 5 }));
        QTest::mouseClick(view.map(), Qt::LeftButton, Qt::NoModifier, view.map()->shownRect(6).center());
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 6 });
        QTest::keyClick(view.map(), Qt::Key_Right);
        QCOMPARE(selection.hoveredGroup().ids(), (std::vector<std::int32_t>{ 3, 7 }));
        QTest::keyClick(view.map(), Qt::Key_Space);
        QCOMPARE(selection.devices(), std::vector<std::int32_t>{ 7 });
    }
};

REGISTER_TEST(TestMesh)
#include "test_mesh.moc"

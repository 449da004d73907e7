// SPDX-License-Identifier: GPL-3.0-or-later
// The dock What if: chips, text, what would change, Apply and Cancel; for programs and for built-in networks.
#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "experiment/edits.h"
#include "registered_test.h"
#include "sharding/sharding_edit.h"
#include "views/main_window/main_window.h"
#include "views/memory_view/memory_view.h"
#include "views/memory_view/memory_widgets.h"
#include "views/panel_fixture.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/theme/appearance.h"
#include "views/what_if_view/changes_model.h"
#include "views/what_if_view/sharding_editor.h"
#include "views/what_if_view/what_if_view.h"
#include "views/widgets/chip.h"
#include "views/widgets/segmented_bar.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Fixture;

namespace {

Experiment program(bool withMesh = true)
{
    Experiment experiment = test::example("rule-lab");
    experiment.rules.rules.list.clear();
    experiment.mesh = {};
    experiment.mesh.axes = { { "x", 2 }, { "y", 4 } };
    experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, 8 };
    const std::string specified = withMesh ? " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}" : "";
    experiment.model = ProgramModel{ {},
        std::make_shared<const std::string>((withMesh ? "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n" : "")
            + ("func.func @main(%a: tensor<8x16xf32>" + specified)
            + ", %b: tensor<16x32xf32>) -> tensor<8x32xf32> {\n"
              "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
              "(tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>\n"
              "  %1 = stablehlo.tanh %0 : tensor<8x32xf32>\n  return %1 : tensor<8x32xf32>\n}\n"),
        {} };
    return experiment;
}

struct ShownWhatIf {
    Fixture fixture;
    WhatIfView view;
    QSignalSpy previewed;

    explicit ShownWhatIf(Experiment experiment, const QString& tensor)
        : fixture(std::move(experiment))
        , view(&fixture.document, &fixture.selection)
        , previewed(&view, &WhatIfView::previewed)
    {
        fixture.selection.setTensor(tensor);
        view.resize(640, 560);
        view.show();
        if (!QTest::qWaitForWindowExposed(&view))
            qFatal("not shown");
    }
    void click(AxisToggle* toggle)
    {
        QTRY_VERIFY(toggle->isVisible() && toggle->isEnabled());
        QTest::mouseClick(toggle, Qt::LeftButton);
    }
    void waitForPreview()
    {
        QTRY_VERIFY_WITH_TIMEOUT(previewed.count() > 0 && !view.isWorking(), 20000);
        previewed.clear();
    }
    [[nodiscard]] QString cell(int row, ChangesModel::Column column) const
    {
        return view.model()->index(row, column).data().toString();
    }
    [[nodiscard]] const std::vector<ValueSharding>& specified() const
    {
        return std::get<ProgramModel>(fixture.document.experiment()->model).shardings;
    }
};

} // namespace

class TestWhatIf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    /// Of many mesh axes those of size 1 shard nothing, and would leave the others no room.
    void axesOfSizeOneAreNoChoices()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        for (int i = 0; i < 10; ++i)
            experiment.mesh.axes.push_back({ "one" + std::to_string(i), 1 });
        ShownWhatIf shown(experiment, QStringLiteral("params/layers.0/W1"));
        for (std::size_t axis = 0; axis < 12; ++axis)
            QTRY_COMPARE(shown.view.editor()->toggle(1, axis)->isVisible(), axis < 2);
    }
    void chipsAsAPlainValue()
    {
        const AxisRef x{ 0, 1, 2 }, y{ 1, 1, 4 };
        TensorSharding sharding = TensorSharding::fullyReplicated(2);
        sharding = withAxisToggled(sharding, 0, x);
        sharding = withAxisToggled(sharding, 0, y);
        QCOMPARE(placeOf(sharding, 0, x), 0);
        QCOMPARE(placeOf(sharding, 0, y), 1);
        sharding = withAxisToggled(sharding, 1, x); // it shards one dimension at most
        QCOMPARE(placeOf(sharding, 0, x), -1);
        QCOMPARE(placeOf(sharding, 1, x), 0);
        sharding = withAxisToggled(sharding, 1, x);
        QCOMPARE(placeOf(sharding, 1, x), -1);
        sharding.replicated.push_back(x);
        sharding.dims[1].axes.push_back(AxisRef{ 1, 2, 2 }); // with a part of y elsewhere
        sharding.dims[0].axes.clear();
        sharding = withAxisToggled(sharding, 0, x);
        QVERIFY(sharding.replicated.empty());
        QCOMPARE(placeOf(sharding, 1, y), 0);
        sharding = withAxisToggled(sharding, 1, y);
        QVERIFY(sharding.dims[1].axes.empty());
    }

    void changesAreSeenBeforeTheyCount()
    {
        ShownWhatIf shown(program(), u"b"_s);
        const Experiment before = *shown.fixture.document.experiment();
        QAbstractItemModelTester tester(shown.view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(
            !shown.view.applyButton()->isEnabled() && !test::named<QPushButton>(&shown.view, u"Cancel"_s)->isEnabled());
        shown.click(shown.view.editor()->toggle(1, 1));
        QVERIFY(shown.view.isTrying());
        QCOMPARE(shown.view.editor()->textField()->text(), u"[{?}, {y, ?}]"_s);
        shown.waitForPreview();
        // b itself, the product and its tanh.
        QCOMPARE(shown.view.model()->rowCount(), 3);
        QCOMPARE(shown.cell(0, ChangesModel::Value), u"%b"_s);
        QCOMPARE(shown.cell(0, ChangesModel::Now), u"P(-, -)"_s);
        QCOMPARE(shown.cell(0, ChangesModel::Then), u"P(-, y)"_s);
        QCOMPARE(shown.cell(0, ChangesModel::PerDevice), u"2 KiB → 512 B"_s);
        QCOMPARE(shown.cell(1, ChangesModel::Now), u"P(x, -)"_s);
        QCOMPARE(shown.cell(1, ChangesModel::Then), u"P(x, y)"_s);
        QVERIFY2(shown.view.summary().startsWith(u"3 of 4 values change: "_s), qPrintable(shown.view.summary()));
        QCOMPARE(shown.view.keyFigure(), u"3 change"_s);
        QVERIFY(*shown.fixture.document.experiment() == before);
        QCOMPARE(shown.fixture.document.undoStack()->count(), 0);

        // Looking elsewhere changes nothing of it.
        shown.fixture.selection.setTensor(u"0"_s);
        QVERIFY(shown.view.isTrying());
        QCOMPARE(shown.view.model()->rowCount(), 3);

        QTest::mouseClick(shown.view.applyButton(), Qt::LeftButton);
        QCOMPARE(shown.fixture.document.undoStack()->count(), 1);
        QCOMPARE(shown.specified().size(), std::size_t{ 1 });
        QCOMPARE(shown.specified()[0].value, std::string("b"));
        QCOMPARE(shown.specified()[0].sharding, std::string("[{?}, {y, ?}]"));
        QVERIFY(!shown.view.isTrying());
        shown.fixture.document.waitForAnalysis();
        shown.fixture.document.undoStack()->undo();
        QVERIFY(*shown.fixture.document.experiment() == before);
    }

    /// What the chips themselves take back is not in the pictures any more.
    void takenBackByHand()
    {
        ShownWhatIf shown(program(), u"a"_s);
        shown.click(shown.view.editor()->toggle(1, 1));
        shown.waitForPreview();
        QVERIFY(shown.fixture.document.preview());
        shown.click(shown.view.editor()->toggle(1, 1));
        QVERIFY(!shown.view.isTrying());
        QVERIFY(!shown.fixture.document.preview());
    }

    void cancelLosesNothing()
    {
        ShownWhatIf shown(program(), u"a"_s);
        const Experiment before = *shown.fixture.document.experiment();
        QVERIFY(shown.view.editor()->toggle(0, 0)->isChecked());
        QVERIFY(!shown.view.editor()->openToggle(0)->isChecked());
        shown.click(shown.view.editor()->toggle(0, 0));
        shown.click(shown.view.editor()->openToggle(0));
        QCOMPARE(shown.view.editor()->textField()->text(), u"[{?}, {}]"_s);
        shown.waitForPreview();
        QVERIFY(shown.view.model()->rowCount() > 0);
        QTest::keyClick(&shown.view, Qt::Key_Escape);
        QVERIFY(!shown.view.isTrying());
        QCOMPARE(shown.view.model()->rowCount(), 0);
        QCOMPARE(shown.view.editor()->textField()->text(), u"[{x}, {}]"_s);
        QVERIFY(*shown.fixture.document.experiment() == before);
        // As it was written, there is nothing to try.
        shown.click(shown.view.editor()->toggle(0, 0));
        shown.click(shown.view.editor()->toggle(0, 0));
        QVERIFY(!shown.view.isTrying());
    }

    void textIsReadAsItIsTyped()
    {
        ShownWhatIf shown(program(), u"a"_s);
        QLineEdit& field = *shown.view.editor()->textField();
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, u"[{y:(1)2}, {"_s);
        QVERIFY(!shown.view.editor()->problem().isEmpty());
        QVERIFY(shown.view.isTrying() && !shown.view.applyButton()->isEnabled());
        QTest::keyClicks(&field, u"x}]"_s);
        QVERIFY2(shown.view.editor()->problem().isEmpty(), qPrintable(shown.view.editor()->problem()));
        shown.waitForPreview();
        QVERIFY(shown.view.editor()->toggle(0, 1)->isChecked() && shown.view.editor()->toggle(1, 0)->isChecked());
        QCOMPARE(shown.cell(0, ChangesModel::Then), u"P(y:(1)2, x)"_s);
        field.setText({});
        QTest::keyClicks(&field, u"[{x}]"_s);
        QVERIFY(shown.view.editor()->problem().contains(u"2 dimensions"_s));
        QTest::keyClick(&field, Qt::Key_Escape); // reaches the dock
        QVERIFY(!shown.view.isTrying());
        // Ctrl+Return applies.
        field.selectAll();
        QTest::keyClicks(&field, u"[{}, {x}]"_s);
        shown.waitForPreview();
        QTest::keyClick(&field, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(shown.specified().size(), std::size_t{ 1 });
    }

    void theTextCountsAgain()
    {
        Experiment own = *withValueSharding(program(), "a", "[{}, {y}]");
        ShownWhatIf shown(own, u"a"_s);
        auto* without = test::named<QPushButton>(&shown.view, u"As the text says"_s);
        QVERIFY(without->isVisible());
        QTest::mouseClick(without, Qt::LeftButton);
        shown.waitForPreview();
        QCOMPARE(shown.cell(0, ChangesModel::Then), u"P(x, -)"_s);
        QVERIFY(shown.view.apply());
        QVERIFY(shown.specified().empty());
        shown.fixture.document.waitForAnalysis();
        QVERIFY(!without->isVisible());
    }

    void aProgramWithoutAMesh()
    {
        ShownWhatIf shown(program(false), u"a"_s);
        shown.click(shown.view.editor()->toggle(0, 0));
        shown.waitForPreview();
        QVERIFY(shown.view.model()->rowCount() >= 3);
        QVERIFY(shown.view.apply());
        shown.fixture.document.waitForAnalysis();
        QCOMPARE(shown.fixture.snapshot().row("a")->bytesPerDevice, std::int64_t{ 8 * 16 * 4 / 2 });
    }

    void outputsHaveShardingsOfTheirOwn()
    {
        ShownWhatIf shown(program(), u"1"_s);
        const Snapshot& snapshot = shown.fixture.snapshot();
        QCOMPARE(annotationTargets(snapshot, snapshot.program->find("1")).size(), std::size_t{ 2 });
        auto* choice = shown.view.findChild<SegmentedBar*>();
        QVERIFY(choice && choice->isVisible());
        QTest::keyClick(choice, Qt::Key_Right);
        QCoreApplication::processEvents();
        shown.click(shown.view.editor()->toggle(1, 1));
        shown.waitForPreview();
        QVERIFY(shown.view.apply());
        QCOMPARE(shown.specified()[0].value, std::string("result0"));
    }

    void editsElsewhereAreTakenIn()
    {
        ShownWhatIf shown(program(), u"b"_s);
        shown.click(shown.view.editor()->toggle(1, 1));
        shown.waitForPreview();
        QVERIFY(shown.fixture.document.edit(
            withValueSharding(*shown.fixture.document.experiment(), "a", "[{}, {}]"), u"a"_s));
        QVERIFY(!shown.view.apply()); // of an earlier state
        shown.fixture.document.waitForAnalysis();
        QVERIFY(shown.view.isTrying());
        QCOMPARE(shown.view.editor()->textField()->text(), u"[{?}, {y, ?}]"_s);
        shown.waitForPreview();
        QCOMPARE(shown.cell(1, ChangesModel::Now), u"P(-, -)"_s);
        QVERIFY(shown.view.apply());
        QCOMPARE(shown.specified().size(), std::size_t{ 2 }); // both
    }

    void rulesOfANetwork()
    {
        ShownWhatIf shown(test::example("flax-mlp-logical"), u"params/layers.0/W1"_s);
        QVERIFY(shown.view.editor()->toggle(1, 1)->isChecked()); // hidden along model
        QVERIFY(!shown.view.editor()->openToggle(0));
        QVERIFY(!shown.view.editor()->textField()->isVisible());
        shown.click(shown.view.editor()->toggle(1, 0));
        shown.waitForPreview();
        QVERIFY(shown.view.model()->rowCount() > 8); // all that has the name hidden
        QVERIFY(shown.view.apply());
        const Experiment expected =
            *withNameMapped(test::example("flax-mlp-logical"), "hidden", SpecEntry::tuple({ "model", "data" }));
        QVERIFY(*shown.fixture.document.experiment() == expected);
        // What is computed has none.
        shown.fixture.document.waitForAnalysis();
        shown.fixture.selection.setTensor(u"layers.0/h"_s);
        QVERIFY(!shown.view.editor()->isVisible());
    }

    void changesMadeElsewhere()
    {
        ShownWhatIf shown(test::example("flax-mlp-logical"), u"x"_s);
        const Experiment before = *shown.fixture.document.experiment();
        shown.view.propose(*withAxisSize(before, 0, 4, true), u"mesh 4 × 2"_s);
        shown.waitForPreview();
        QVERIFY(shown.view.model()->rowCount() > 0);
        shown.view.cancel();
        QVERIFY(*shown.fixture.document.experiment() == before && shown.view.editor()->isVisible());
        shown.view.propose(*withAxisSize(before, 0, 4, true), u"mesh 4 × 2"_s);
        shown.waitForPreview();
        QVERIFY(shown.view.apply());
        QCOMPARE(shown.fixture.document.undoStack()->undoText(), u"mesh 4 × 2"_s);
    }

    /// What is tried is seen in the pictures before it counts, with what is there now beside it.
    void picturesShowWhatIsTried()
    {
        ShownWhatIf shown(test::example("flax-mlp-logical"), u"params/layers.0/W1"_s);
        Document& document = shown.fixture.document;
        ShardGridView grid(&document, &shown.fixture.selection);
        MemoryView memory(&document, &shown.fixture.selection);
        for (QWidget* view : std::initializer_list<QWidget*>{ &grid, &memory }) {
            view->resize(600, 400);
            view->show();
        }
        const auto columns = [&] { return grid.canvas()->grid().columns().parts; };
        QCOMPARE(columns(), 4);
        QCOMPARE(memory.bar()->barLayout().beforeX, -1);
        const Experiment before = *document.experiment();
        shown.view.propose(*withAxisSize(before, 0, 4, true), u"mesh 4 × 2"_s);
        shown.waitForPreview();
        QCOMPARE(columns(), 2);
        QVERIFY(memory.bar()->barLayout().beforeX > 0);
        QVERIFY(*document.experiment() == before);
        QCOMPARE(document.undoStack()->count(), 0);
        const auto button = [&](const QString& name) {
            for (QToolButton* each : grid.findChildren<QToolButton*>())
                if (each->isVisible() && each->accessibleName() == name)
                    return each;
            return static_cast<QToolButton*>(nullptr);
        };
        QVERIFY(button(u"Leave mesh 4 × 2 as it was"_s));
        button(u"Leave mesh 4 × 2 as it was"_s)->click();
        QCOMPARE(columns(), 4);
        QVERIFY(!button(u"Apply mesh 4 × 2"_s));
        QVERIFY(!shown.view.isTrying() && !document.preview());
        shown.view.propose(*withAxisSize(before, 0, 4, true), u"mesh 4 × 2"_s);
        shown.waitForPreview();
        button(u"Apply mesh 4 × 2"_s)->click();
        QCOMPARE(document.undoStack()->undoText(), u"mesh 4 × 2"_s);
        QVERIFY(!document.preview());
        document.waitForAnalysis();
        QCOMPARE(columns(), 2);
    }

    void whatCannotBeLaidOutIsNotApplied()
    {
        Experiment experiment = test::example("flax-mlp-device");
        ShownWhatIf shown(experiment, u"x"_s);
        Experiment broken = experiment;
        broken.mesh.axes = {};
        shown.view.propose(broken, u"no mesh"_s);
        shown.waitForPreview();
        QVERIFY(!shown.view.applyButton()->isEnabled());
        QVERIFY(!shown.view.apply());
    }

    void nothingBlocksAndNamesAreSpecified()
    {
        ShownWhatIf shown(program(), u"a"_s);
        for (QWidget* widget : shown.view.findChildren<QWidget*>())
            if (widget->isVisible() && (widget->focusPolicy() & Qt::TabFocus))
                QVERIFY2(!widget->accessibleName().isEmpty() || !widget->property("text").toString().isEmpty(),
                    widget->metaObject()->className());
    }

    void theDockOfTheWindow()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.document()->setExperiment(program(), {});
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.document()->waitForAnalysis();
        QVERIFY(!window.findChild<WhatIfView*>()->isVisible());
        QVERIFY(window.present(u"whatif"_s));
        QVERIFY(window.findChild<WhatIfView*>()->isVisible());
    }
};

REGISTER_TEST(TestWhatIf)
#include "test_what_if.moc"

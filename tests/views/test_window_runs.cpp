// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows of programs that can run and of those that cannot: ways to run, the time line, large arrays.
#include <QApplication>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "registered_test.h"
#include "report/tensor_tree.h"
#include "views/collectives_view/collectives_view.h"
#include "views/explain_view/explain_view.h"
#include "views/main_window/main_window.h"
#include "views/panel_fixture.h"
#include "views/program_view/program_player.h"
#include "views/program_view/program_view.h"
#include "views/values_view/values_view.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/step_player.h"
#include "views/window_fixture.h"
#include "words/words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

class TestWindowRuns : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_file;

private Q_SLOTS:
    void initTestCase() { test::clearSettings(); }
    void cleanupTestCase() { test::clearSettings(); }
    void init()
    {
        test::failOnWarnings();
        m_file = test::writeSmallExperiment(m_folder);
        QVERIFY(!m_file.isEmpty());
    }

    void whatCannotRunSaysWhy()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        QVERIFY(window.openFile(m_file));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        Document* document = window.document();
        document->waitForAnalysis();
        auto* button = window.findChild<QPushButton*>(QStringLiteral("runStepButton"));
        const auto enabled = [&window, button] {
            const bool step = window.action(QStringLiteral("runStep"))->isEnabled();
            return button->isEnabled() == step && window.action(QStringLiteral("runTimeit"))->isEnabled() == step
                    && window.action(QStringLiteral("runContinuously"))->isEnabled() == step
                ? int(step)
                : -1;
        };
        QCOMPARE(enabled(), 1);
        QVERIFY(!button->toolTip().contains(QStringLiteral("No step can run")));
        document->edit(withDimension(*document->experiment(), "batch", 7), QStringLiteral("batch"));
        document->waitForAnalysis();
        QCOMPARE(enabled(), 0);
        for (const QString& tip : { button->toolTip(), window.action(QStringLiteral("runTimeit"))->toolTip(),
                 window.action(QStringLiteral("runContinuously"))->toolTip() })
            QVERIFY2(tip.contains(QStringLiteral("No step can run")) && tip.contains(QStringLiteral("batch")),
                qPrintable(tip));
        QVERIFY(!button->accessibleDescription().isEmpty());
        const auto* more = window.findChild<QToolButton*>(QStringLiteral("runMenu"));
        QVERIFY(!more->isEnabled());
        QVERIFY2(more->toolTip().contains(QStringLiteral("batch")), qPrintable(more->toolTip()));
        QTest::keyClick(&window, Qt::Key_F5);
        QCOMPARE(window.runController()->state(), RunController::State::Idle);
        document->undoStack()->undo();
        document->waitForAnalysis();
        QCOMPARE(enabled(), 1);
        QVERIFY(more->isEnabled());
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_COMPARE(window.runController()->stepsDone(), 1);
    }

    /// What needs more memory than the machine has can be tried once: then the reason stands at every control that
    /// would try it again, until an edit.
    void whatHasNoRoomIsTriedOnce()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        Document* document = window.document();
        Experiment large = test::example("flax-mlp-logical");
        large.mesh.axes = { { "data", 16'384 }, { "model", 1 } };
        large.mesh.deviceOrder.clear();
        large.hardware.devices = DeviceSet::ofHosts("generic-cpu", "cpu", 1, 16'384);
        std::get<MlpModel>(large.model).settings.batch = 16'384;
        std::get<MlpModel>(large.model).settings.embed = 8'192;
        document->setExperiment(large, {});
        document->waitForAnalysis();
        QVERIFY(document->snapshot()->ok());
        const auto* button = window.findChild<QPushButton*>(QStringLiteral("runStepButton"));
        QVERIFY(button->isEnabled());
        window.action(QStringLiteral("runStep"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window.runController()->refusal(), 60'000);
        QTRY_VERIFY(!button->isEnabled());
        QVERIFY(!window.action(QStringLiteral("runTimeit"))->isEnabled());
        QVERIFY2(button->toolTip().contains(u"the run needs "_s), qPrintable(button->toolTip()));
        window.present(QStringLiteral("values"));
        window.selection()->setTensor(QString::fromStdString(document->snapshot()->tensors.front().path));
        const auto* values = window.findChild<ValuesView*>();
        QTRY_VERIFY(values->isVisible() && values->emptyPage()->isVisible());
        QVERIFY(
            test::shows(values, u"No step can run: "_s + words::describe(*window.runController()->refusal()).inFull()));
        for (const QPushButton* each : values->findChildren<QPushButton*>())
            QVERIFY(!each->isVisible() || each->text() != u"Run step"_s);
        Experiment fits = test::example("flax-mlp-logical");
        QVERIFY(document->edit(std::move(fits), u"smaller"_s));
        document->waitForAnalysis();
        QVERIFY(!window.runController()->refusal() && button->isEnabled());
        QVERIFY(!button->toolTip().contains(u"the run needs "_s));
    }

    /// Where there is no step, no place is kept for its times; with the next one that has a step they are back.
    void theTimelineIsThatOfAStep()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const DockFrame* timeline = window.dock(QStringLiteral("timeline"));
        const auto open = [&](const char* example, Perspective perspective) {
            window.openExample(QLatin1String(example));
            window.document()->waitForAnalysis();
            window.setPerspective(perspective);
        };
        open("maxtext-llama3-8b", Perspective::Plan);
        QTRY_VERIFY(timeline->isHidden());
        open("maxtext-llama3-8b", Perspective::Debug);
        QTRY_VERIFY(timeline->isHidden());
        open("flax-mlp-logical", Perspective::Debug);
        QTRY_VERIFY(timeline->isInFront());
        open("flax-mlp-logical", Perspective::Plan);
        QTRY_VERIFY(timeline->isInFront());
        // Also where a view had the window for itself meanwhile.
        window.maximise(window.dock(QStringLiteral("layout")));
        window.document()->setExperiment(test::example("maxtext-llama3-8b"), {});
        window.document()->waitForAnalysis();
        window.maximise(nullptr);
        QTRY_VERIFY(timeline->isHidden());
        open("flax-mlp-logical", Perspective::Plan);
        QTRY_VERIFY(timeline->isInFront());
        // Who closed it does not get it back by that.
        window.dock(QStringLiteral("timeline"))->close();
        open("maxtext-llama3-8b", Perspective::Plan);
        open("flax-mlp-logical", Perspective::Plan);
        QTRY_VERIFY(!window.document()->isStale());
        QVERIFY(timeline->isHidden());
        // Asked for, it says why it has nothing to show.
        open("maxtext-llama3-8b", Perspective::Plan);
        QVERIFY(window.present(QStringLiteral("timing")));
        QTRY_VERIFY(timeline->isInFront());
    }

    /// What has been partitioned and nobody can run has nothing over time; what it sends is shown.
    void compiledProgramsWithoutAPlanHaveNoTimeline()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        ProgramModel compiled;
        compiled.text = std::make_shared<const std::string>(R"(HloModule jit_f, is_scheduled=true, num_partitions=4

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

ENTRY %main_spmd (p: f32[2,8]) -> f32[2,8] {
  %p = f32[2,8]{1,0} parameter(0)
  %c = f32[2,8]{1,0} custom-call(%p, %p), custom_call_target="my_kernel"
  ROOT %y = f32[2,8]{1,0} all-reduce(%c), channel_id=1, replica_groups=[1,4]<=[4], to_apply=%add
}
)");
        window.document()->setExperiment(*experimentOf(std::move(compiled), "compiled"), {});
        window.document()->waitForAnalysis();
        QVERIFY(window.document()->snapshot()->notPlanned);
        window.setPerspective(Perspective::Debug);
        const DockFrame* timeline = window.dock(QStringLiteral("timeline"));
        QTRY_VERIFY(timeline->isHidden());
        QTRY_VERIFY(window.findChild<CollectivesView*>()->isVisible());
        // Asked for, it says why, and nothing of memory that nobody knows.
        QVERIFY(window.present(QStringLiteral("memorytime")));
        QTRY_VERIFY(timeline->isInFront());
        window.document()->setExperiment(test::example("flax-mlp-logical"), {});
        window.document()->waitForAnalysis();
        window.setPerspective(Perspective::Plan);
        QTRY_VERIFY(timeline->isInFront());
    }

    /// Arrays with rules have no program and send nothing: what has something to show is in front.
    void arraysWithRulesLeaveNoViewEmpty()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.openExample(QStringLiteral("maxtext-llama3-8b"));
        window.document()->waitForAnalysis();
        QTRY_VERIFY(window.isSettled());
        window.setPerspective(Perspective::Program);
        QTRY_VERIFY(window.dock(QStringLiteral("layout"))->isInFront());
        window.setPerspective(Perspective::Debug);
        QTRY_VERIFY(window.findChild<ExplainView*>()->isVisible());
        window.action(QStringLiteral("perspective-program"))->trigger();
        QTest::qWait(50);
        QVERIFY(window.dock(QStringLiteral("layout"))->isInFront());
        // What is opened next counts, before it has been analysed; and the keyboard is in one of its views.
        QTRY_VERIFY(window.dock(QStringLiteral("layout"))->isAncestorOf(QApplication::focusWidget()));
        window.openExample(QStringLiteral("transformer-experts"));
        QCOMPARE(window.perspective(), Perspective::Debug);
        window.document()->waitForAnalysis();
        QTRY_VERIFY(window.findChild<CollectivesView*>()->isVisible());
        QVERIFY(window.dock(QStringLiteral("inspector"))->isAncestorOf(QApplication::focusWidget()));
        window.openExample(QStringLiteral("flax-mlp-logical"));
        window.document()->waitForAnalysis();
        QTRY_VERIFY(window.isSettled());
        window.setPerspective(Perspective::Debug);
        QTRY_VERIFY(window.findChild<CollectivesView*>()->isVisible());
    }

    /// One button runs a step and stops what runs; how often a benchmark measures is no edit of the experiment.
    void waysToRun()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        QVERIFY(window.openFile(m_file));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        auto* button = window.findChild<QPushButton*>(QStringLiteral("runStepButton"));
        auto* menu = window.findChild<QToolButton*>(QStringLiteral("runMenu"));
        QVERIFY(button && menu && menu->menu());
        for (const char* name : { "runStep", "runContinuously", "runTimeit", "resetRun" })
            QVERIFY(menu->menu()->actions().contains(window.action(QLatin1String(name))));
        auto* runs = window.findChild<QSpinBox*>(QStringLiteral("runs"));
        runs->setValue(3);
        QVERIFY(!window.isWindowModified());
        QCOMPARE(window.document()->undoStack()->count(), 0);
        window.action(QStringLiteral("runTimeit"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.runController()->state(), RunController::State::Idle, 30000);
        QVERIFY(window.runController()->lastTimeit());
        QCOMPARE(window.runController()->lastTimeit()->perLoop.size(), std::size_t{ 3 });
        QCOMPARE(button->text(), QStringLiteral("Run step"));
        window.action(QStringLiteral("runContinuously"))->trigger();
        QTRY_COMPARE(button->text(), QStringLiteral("Stop"));
        QVERIFY(button->isEnabled());
        button->click();
        QTRY_COMPARE_WITH_TIMEOUT(window.runController()->state(), RunController::State::Idle, 30000);
        QCOMPARE(button->text(), QStringLiteral("Run step"));
    }

    void hugeArraysAreShown_data()
    {
        QTest::addColumn<qint64>("rows"); // of each array, of 2^31 bytes; 0: the network
        QTest::addColumn<bool>("shown");
        QTest::newRow("three of 2^62 bytes") << (qint64{ 1 } << 31) << false; // more than 2^62 bytes in all
        QTest::newRow("three of 2^60 bytes") << (qint64{ 1 } << 29) << true;
        QTest::newRow("batch of 4e9") << qint64{ 0 } << true;
    }

    void hugeArraysAreShown()
    {
        QFETCH(qint64, rows);
        QFETCH(bool, shown);
        Experiment experiment = builtinExamples().front().make();
        if (rows > 0) {
            ArraysModel model;
            for (const char* name : { "a", "<b>b</b>", "c" }) {
                const LogicalNames names{ LogicalName::of("rows"), LogicalName::of("<i>columns") };
                model.arrays.push_back({ name, names, { rows, std::int64_t{ 1 } << 31 }, DType::I8 });
            }
            experiment.model = model;
            experiment.title = "<h1>huge</h1>";
        } else {
            std::get<MlpModel>(experiment.model).settings.batch = 4'000'000'000;
        }
        experiment.run.runs = 1'000'000;
        experiment.run.loops = 1'000'000'000;
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false });
        window.document()->setExperiment(experiment, {});
        window.resize(1024, 640);
        window.show();
        window.document()->waitForAnalysis();
        const SnapshotPtr snapshot = window.document()->snapshot();
        QVERIFY(snapshot);
        QCOMPARE(!snapshot->tensors.empty(), shown);
        QVERIFY(shown || !snapshot->problems.empty());
        const TensorTree tree = TensorTree::build(*snapshot, {});
        for (const TensorNode& node : tree.nodes) {
            QVERIFY(node.bytes >= 0);
            for (const int child : node.children)
                QVERIFY(node.bytes >= tree.nodes[static_cast<std::size_t>(child)].bytes);
        }
        for (const MainWindow::Part& part : window.parts()) {
            QVERIFY(window.present(part.id));
            QCoreApplication::processEvents();
            QVERIFY2(window.shows(part.id), qPrintable(part.id));
            QVERIFY(!part.frame->grab().isNull());
        }
        for (const TensorRow& row : snapshot->tensors) {
            window.selection()->setTensor(QString::fromStdString(row.path));
            QVERIFY(!window.grab().isNull());
        }
        // The file's numbers stand in the tool bar as they are.
        QCOMPARE(window.findChild<QSpinBox*>(QStringLiteral("runs"))->value(), 1'000'000);
        QCOMPARE(window.findChild<QSpinBox*>(QStringLiteral("loops"))->value(), 1'000'000'000);
    }

    /// In the list of steps the keys of the player under the graph hold, too.
    void theListOfStepsHasTheKeysOfThePlayer()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.resize(1600, 1000);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        window.setPerspective(Perspective::Program);
        QVERIFY(window.present(QStringLiteral("propagation")));
        QWidget* list = window.part(QStringLiteral("propagation"));
        const StepPlayer* player = window.findChild<ProgramView*>()->player()->player();
        QTRY_VERIFY(list->isVisible() && player->isVisible());
        QTest::keyClick(list, Qt::Key_Home);
        QCOMPARE(window.selection()->step(), 0);
        QTest::keyClick(list, Qt::Key_End);
        QCOMPARE(window.selection()->step(), player->count());
        QTest::keyClick(list, Qt::Key_Space);
        QVERIFY(player->isPlaying());
        QTest::keyClick(list, Qt::Key_Space);
        QVERIFY(!player->isPlaying());
    }
};

REGISTER_TEST(TestWindowRuns)
#include "test_window_runs.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>
#include <cmath>

#include "base/codes.h"
#include "experiment/edits.h"
#include "plot/device_bars_plot.h"
#include "plot/step_plot.h"
#include "registered_test.h"
#include "views/panel_fixture.h"
#include "views/timing_view/timing_plots.h"
#include "views/timing_view/timing_view.h"
#include "words/timing_words.h"
#include "words/words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Fixture;

namespace {

/// Steps of 10, 11, 12, 10, 11 ... ms on eight devices.
std::vector<StepTiming> steps(int count)
{
    std::vector<StepTiming> list;
    for (int i = 0; i < count; ++i) {
        StepTiming step;
        step.wall = 1e-3 * (20 + i % 3);
        for (int device = 0; device < 8; ++device)
            step.devices.push_back({ 6e-3, 2e-3 + 1e-4 * device, 1e-3 });
        list.push_back(step);
    }
    return list;
}

AccessibleStepPlot* stepPlot(const TimingView& view)
{
    return test::named<AccessibleStepPlot>(&view, u"Step times"_s);
}

} // namespace

class TestTiming : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void timeAxis_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("unit");
        QTest::newRow("µs") << 0.99e-3 << u"µs"_s;
        QTest::newRow("ms") << 1e-3 << u"ms"_s;
        QTest::newRow("s") << 10.0 << u"s"_s;
        QTest::newRow("nothing") << 0.0 << u"µs"_s;
    }
    void timeAxis()
    {
        QFETCH(double, seconds);
        const plot::StepAxis axis = plot::StepAxis::ofTimes(seconds);
        QTEST(axis.unit, "unit");
        QVERIFY(axis.top * axis.perUnit > seconds);
    }

    void tables()
    {
        DeviceTimesModel devices;
        const QAbstractItemModelTester first(&devices, QAbstractItemModelTester::FailureReportingMode::QtTest);
        devices.setDevices({ { 1e-3, 2e-3, 3e-3 }, { 1e-3, 1e-3, 1e-3 } }, { 4, 0 });
        QCOMPARE(devices.index(0, 0).data().toString(), u"d4"_s);
        QCOMPARE(devices.index(0, 4).data().toString(), u"6 ms"_s);
        devices.setDevices({ { 2e-3, 2e-3, 3e-3 }, { 1e-3, 1e-3, 1e-3 } }, { 4, 0 });
        QCOMPARE(devices.index(0, 1).data().toString(), u"2 ms"_s);
        devices.setDevices({}, {});
        QCOMPARE(devices.rowCount(), 0);

        StepTimesModel times;
        const QAbstractItemModelTester second(&times, QAbstractItemModelTester::FailureReportingMode::QtTest);
        times.setTimes(11, { 1e-3, 2e-3, 3e-3 });
        QCOMPARE(times.index(0, 0).data().toString(), u"13"_s); // newest first
        QCOMPARE(times.index(2, 1).data().toString(), u"1 ms"_s);
    }

    void followsNewStepsUntilItIsDragged()
    {
        plot::StepPlot plot;
        plot.resize(400, 200);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        std::vector<double> seconds(100, 0.01);
        plot.setTimes(1, seconds);
        QCOMPARE(plot.pointCount(), 100);
        QVERIFY(plot.follows());
        QVERIFY(plot.shownSteps().first <= 1 && plot.shownSteps().second >= 100);

        QWidget* canvas = plot.findChild<QWidget*>();
        QVERIFY(canvas);
        const QPoint centre = canvas->rect().center();
        QTest::mousePress(canvas, Qt::LeftButton, {}, centre);
        QTest::mouseMove(canvas, centre + QPoint(20, 0));
        QTest::mouseMove(canvas, centre + QPoint(60, 0));
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, centre + QPoint(60, 0));
        if (plot.follows()) // platforms without a pointer: the wheel does the same
            QSKIP("no synthetic mouse moves here");
        const auto shown = plot.shownSteps();
        seconds.resize(200, 0.01);
        plot.setTimes(1, seconds);
        QCOMPARE(plot.shownSteps(), shown);
        QTest::mouseDClick(canvas, Qt::LeftButton, {}, centre);
        QVERIFY(plot.follows());
        QVERIFY(plot.shownSteps().second >= 200);
    }

    void viewOfSyntheticSteps()
    {
        Fixture fixture;
        RunController controller(&fixture.document);
        TimingView view(&fixture.document, &fixture.selection, &controller);
        view.resize(700, 260);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY(view.sentence().isEmpty());
        QVERIFY(view.keyFigure().isEmpty());

        QSignalSpy figure(&view, &TimingView::keyFigureChanged);
        RunController::Timings data;
        data.history = steps(9);
        data.stepsDone = 9;
        view.show(data);
        QCOMPARE(view.keyFigure(), u"21 ms per step"_s);
        QCOMPARE(figure.count(), 1);
        QVERIFY(view.sentence().contains(u"9 steps"_s));
        QCOMPARE(stepPlot(view)->pointCount(), 9);
        QCOMPARE(view.findChild<AccessibleBarsPlot*>()->barCount(), 8);
        QVERIFY(stepPlot(view)->isVisible());

        data.timeit = TimeitResult{ { 0.02, 0.022 }, 0.021, 0.001, 3, false, { { 5e-3, 1e-3, 2e-3 } } };
        view.show(data);
        QVERIFY(view.sentence().contains(u"2 runs, 3 loops each"_s));
        QCOMPARE(view.findChild<AccessibleBarsPlot*>()->barCount(), 1);

        test::named<QPushButton>(&view, u"View as table"_s)->setChecked(true);
        QVERIFY(!stepPlot(view)->isVisible());
        // What compiling took stands beside them; a step that comes back is found in the cache.
        const QAbstractItemModel* stages = view.findChild<CompiledStagesModel*>();
        const auto stage = [stages](const QString& name, int column) {
            for (int row = 0; row < stages->rowCount(); ++row)
                if (stages->index(row, 0).data().toString() == name)
                    return stages->index(row, column).data().toString();
            return QString();
        };
        const int hits = stage(u"propagate"_s, 1).toInt(), misses = stage(u"propagate"_s, 2).toInt();
        QVERIFY(misses > 0);
        fixture.document.edit(withDimension(*fixture.document.experiment(), "batch", 16), u"batch"_s);
        fixture.document.waitForAnalysis();
        QCOMPARE(stage(u"propagate"_s, 2).toInt(), misses + 1);
        fixture.document.undoStack()->undo();
        fixture.document.waitForAnalysis();
        QCOMPARE(stage(u"propagate"_s, 1).toInt(), hits + 1);
        QCOMPARE(stage(u"propagate"_s, 2).toInt(), misses + 1);
        QVERIFY(stage(u"schedule"_s, 3).contains(u's'));
        view.show(data);
        test::named<QPushButton>(&view, u"View as table"_s)->setChecked(false);
        QVERIFY(stepPlot(view)->isVisible());

        // Ten thousand steps are drawn without anybody noticing.
        data = { steps(10000), 25000, {} };
        QElapsedTimer clock;
        clock.start();
        view.show(data);
        QVERIFY(clock.elapsed() < 1000);
        QCOMPARE(stepPlot(view)->pointCount(), 10000);
        QVERIFY(stepPlot(view)->shownSteps().first > 14999);
        view.show(RunController::Timings{});
        QVERIFY(view.keyFigure().isEmpty());
    }

    void runStepOfTheEmptyPageRunsOne()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        MlpSettings& settings = std::get<MlpModel>(experiment.model).settings;
        settings.layers = 2;
        settings.embed = settings.hidden = 32;
        Fixture fixture(experiment);
        RunController controller(&fixture.document);
        TimingView view(&fixture.document, &fixture.selection, &controller);
        view.resize(700, 260);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        for (QPushButton* button : view.findChildren<QPushButton*>())
            if (button->isVisible())
                QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(view.sentence().contains(u"for one step; "_s), 20000);
        QVERIFY2(view.sentence().endsWith(u" if the 8 devices ran at once"_s), qPrintable(view.sentence()));
        QCOMPARE(stepPlot(view)->pointCount(), 1);
        QCOMPARE(view.findChild<AccessibleBarsPlot*>()->barCount(), 8);
        controller.runTimeit(3, 2);
        QTRY_VERIFY_WITH_TIMEOUT(view.sentence().contains(u"3 runs, 2 loops each"_s), 20000);
        QVERIFY(!view.keyFigure().isEmpty());
    }

    /// Figures are those of the newest steps, or say of which ones they are.
    void stepsAfterABenchmarkCount()
    {
        Fixture fixture;
        RunController controller(&fixture.document);
        TimingView view(&fixture.document, &fixture.selection, &controller);
        view.resize(900, 260);
        TimeitResult benchmark;
        benchmark.perLoop = { 0.010, 0.012, 0.014 };
        benchmark.mean = 0.012;
        benchmark.deviation = 0.001;
        benchmark.devices.resize(8, { 0.001, 0.001, 0.001 });
        view.show(RunController::Timings{ steps(4), 4, benchmark, std::pair<std::int64_t, std::int64_t>(2, 4) });
        QVERIFY2(view.sentence().startsWith(u"Timed steps 2–4: 12 ms"_s), qPrintable(view.sentence()));
        QVERIFY(view.keyFigure().startsWith(u"12 ms"_s));

        std::vector<StepTiming> more = steps(4);
        for (int i = 0; i < 3; ++i) {
            StepTiming slow;
            slow.wall = 0.5;
            slow.devices.resize(8, { 0.25, 0.125, 0.0625 });
            more.push_back(slow);
        }
        view.show(RunController::Timings{ more, 7, benchmark, std::pair<std::int64_t, std::int64_t>(2, 4) });
        QVERIFY2(view.sentence().startsWith(u"500 ms"_s) && view.sentence().contains(u"of 3 steps"_s)
                && !view.sentence().contains(u"Benchmark"_s),
            qPrintable(view.sentence()));
        QVERIFY2(view.keyFigure().startsWith(u"500 ms"_s), qPrintable(view.keyFigure()));
        QCOMPARE(view.legend()->entries()[1].figure, words::seconds(0.25)); // the bars are theirs, too
        // The parts add up to their sum as printed, which is how long a step takes where all run at once.
        QCOMPARE(view.legend()->entries()[0].figure, u"438 ms"_s);
        QCOMPARE(view.legend()->entries()[2].figure, u"125 ms"_s);
        QCOMPARE(view.legend()->entries()[3].figure, u"63 ms"_s);
        QVERIFY2(view.sentence().endsWith(u"; 438 ms if the 8 devices ran at once"_s), qPrintable(view.sentence()));
    }

    /// An edit does not take away what was measured; it says what that was measured on.
    void anEditKeepsTheTimings()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        auto& settings = std::get<MlpModel>(experiment.model).settings;
        settings.layers = 1;
        settings.embed = settings.hidden = 32;
        Fixture fixture(experiment);
        RunController controller(&fixture.document);
        TimingView view(&fixture.document, &fixture.selection, &controller);
        view.resize(900, 260);
        controller.runTimeit(3, 1);
        QTRY_VERIFY(controller.lastTimeit().has_value() && controller.state() == RunController::State::Idle);
        const QString before = view.sentence();
        QVERIFY2(before.startsWith(u"Timed steps 1–3: "_s), qPrintable(before));

        QVERIFY(fixture.document.edit(withAxisSize(*fixture.document.experiment(), 0, 4, true), u"data 2 → 4"_s));
        fixture.document.waitForAnalysis();
        QCOMPARE(controller.stepsDone(), 0);
        QCOMPARE(view.sentence(), u"On mesh 2 × 4, before the edit: "_s + before);
        QVERIFY2(view.keyFigure().endsWith(u"per step on 2 × 4"_s), qPrintable(view.keyFigure()));
        QCOMPARE(stepPlot(view)->pointCount(), 3);
        // So it does where no step can run.
        QVERIFY(fixture.document.edit(withDimension(*fixture.document.experiment(), "batch", 7), u"batch 7"_s));
        fixture.document.waitForAnalysis();
        QVERIFY2(view.sentence().startsWith(u"On mesh 2 × 4"_s), qPrintable(view.sentence()));
        // Back on that mesh they are its own.
        fixture.document.undoStack()->undo();
        fixture.document.undoStack()->undo();
        fixture.document.waitForAnalysis();
        QVERIFY2(view.sentence().startsWith(u"Earlier on this mesh, 2 × 4: "_s), qPrintable(view.sentence()));
        // New steps take their place.
        fixture.document.undoStack()->redo();
        fixture.document.waitForAnalysis();
        controller.runStep();
        QTRY_VERIFY(controller.state() == RunController::State::Idle && controller.stepsDone() == 1);
        QVERIFY2(!view.sentence().contains(u"mesh"_s) && view.sentence().contains(u"for one step"_s),
            qPrintable(view.sentence()));
        // Reset and another experiment leave nothing.
        controller.reset();
        QVERIFY(!controller.kept() && view.keyFigure().isEmpty());
        controller.runStep();
        QTRY_VERIFY(controller.state() == RunController::State::Idle && controller.stepsDone() == 1);
        fixture.document.setExperiment(test::example("rule-lab"), {});
        fixture.document.waitForAnalysis();
        QVERIFY(!controller.kept() && view.keyFigure().isEmpty());
    }

    /// Where copies do not fit this machine, one press shares them and runs the step.
    void copiesAreSharedWhereMemoryIsShort()
    {
        Fixture fixture;
        RunController controller(&fixture.document);
        TimingView view(&fixture.document, &fixture.selection, &controller);
        view.resize(700, 260);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto share = [&view]() -> QPushButton* {
            for (QPushButton* button : view.findChildren<QPushButton*>())
                if (button->isVisible() && button->text() == u"Share copies"_s)
                    return button;
            return nullptr;
        };
        Diagnostic tooMuch{ Code::OutOfMemory,
            { { "bytes", std::int64_t{ 1 } << 50 }, { "limit", std::int64_t{ 1 } << 30 } }, {} };
        Q_EMIT controller.failed(tooMuch);
        QVERIFY(!share()); // it would not help
        tooMuch.args.emplace_back("shared_bytes", std::int64_t{ 1 } << 20);
        Q_EMIT controller.failed(tooMuch);
        QVERIFY(share());
        QVERIFY(!fixture.document.experiment()->run.shareReplicas);
        QTest::mouseClick(share(), Qt::LeftButton);
        QVERIFY(fixture.document.experiment()->run.shareReplicas);
        QCOMPARE(fixture.document.undoStack()->undoText(), u"share copies"_s);
        QTRY_COMPARE_WITH_TIMEOUT(controller.stepsDone(), 1, 30'000);
        // Shared already, there is nothing to press.
        Q_EMIT controller.failed(tooMuch);
        QVERIFY(!share());
    }

    /// A failure is a sentence; what cannot be tried again with success is not offered.
    void whatThisMachineHasNoRoomFor()
    {
        Experiment large = test::example("flax-mlp-logical");
        large.mesh.axes = { { "data", 16'384 }, { "model", 1 } };
        large.mesh.deviceOrder.clear();
        large.hardware.devices = DeviceSet::ofHosts("generic-cpu", "cpu", 1, 16'384);
        std::get<MlpModel>(large.model).settings.batch = 16'384;
        std::get<MlpModel>(large.model).settings.embed = 8'192;
        Fixture fixture(large);
        RunController controller(&fixture.document);
        TimingView view(&fixture.document, &fixture.selection, &controller);
        view.resize(700, 260);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto* run = test::named<QPushButton>(&view, u"Run step"_s);
        QVERIFY(run && run->isVisible());
        controller.runStep();
        QTRY_VERIFY_WITH_TIMEOUT(controller.refusal(), 60'000);
        QTRY_VERIFY(!run->isVisible());
        QVERIFY(test::shows(&view, words::sentence(words::describe(*controller.refusal()).inFull())));
        QVERIFY(words::sentence(words::describe(*controller.refusal()).inFull()).startsWith(u"The run needs "_s));
        QVERIFY(fixture.document.edit(test::example("flax-mlp-logical"), u"smaller"_s));
        fixture.document.waitForAnalysis();
        QVERIFY(!controller.refusal());
    }

    /// Where no step can run the page says which problem is in the way; what it is and how it is mended stands there.
    void theEmptyPageNamesWhatIsInTheWay()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        std::get<MlpModel>(experiment.model).settings.batch = 7;
        Fixture fixture(experiment);
        RunController controller(&fixture.document);
        TimingView view(&fixture.document, &fixture.selection, &controller);
        view.resize(700, 260);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto shown = [&view] {
            QPushButton* only = nullptr;
            for (QPushButton* button : view.findChildren<QPushButton*>())
                if (button->isVisible())
                    only = only ? nullptr : button;
            return only;
        };
        const auto says = [&view](const QString& words) {
            for (const QLabel* label : view.findChildren<QLabel*>())
                if (label->isVisible() && label->text().contains(words))
                    return true;
            return false;
        };
        QVERIFY(says(u"No step can run: E101, see Problems."_s) && !says(u"batch"_s));
        QVERIFY(!shown());
        QVERIFY(fixture.document.edit(
            withDimension(*fixture.document.experiment(), "batch", 8), QStringLiteral("batch 7 → 8")));
        fixture.document.waitForAnalysis();
        QVERIFY(fixture.snapshot().ok());
        QVERIFY(says(u"No step has run yet."_s));
        QCOMPARE(shown()->text(), u"Run step"_s);

        // Arrays and rules alone have no step.
        fixture.document.setExperiment(test::example("rule-lab"), {});
        fixture.document.waitForAnalysis();
        QVERIFY(says(u"no step to run"_s));
        QVERIFY(!shown());
    }

    void theMeanStandsBesideTheCurve()
    {
        Fixture fixture;
        RunController controller(&fixture.document);
        TimingView view(&fixture.document, &fixture.selection, &controller);
        view.resize(900, 260);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.show(RunController::Timings{ steps(12), 12, {} });
        QCoreApplication::processEvents();
        const plot::StepPlot* plot = stepPlot(view);
        const QRect label = plot->meanLabelRect();
        QVERIFY(!label.isEmpty());
        QVERIFY(plot->rect().contains(label));
        QVERIFY(label.left() > plot->stepRect(12).right());
        view.resize(500, 260);
        QCoreApplication::processEvents();
        QVERIFY(plot->meanLabelRect().isEmpty() || plot->rect().contains(plot->meanLabelRect()));
    }
};

REGISTER_TEST(TestTiming)
#include "test_timing.moc"

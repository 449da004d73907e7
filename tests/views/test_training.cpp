// SPDX-License-Identifier: GPL-3.0-or-later
// Training curves in the Timing dock: loss and norms of every step as steps come, of other tokens in each, and where a
// figure that is not finite begins.
#include <QPushButton>
#include <QTest>
#include <fstream>
#include <iterator>
#include <limits>

#include "analysis/initial_setting.h"
#include "analysis/step_inputs.h"
#include "networks/token_batches.h"
#include "networks/training_text.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "sharding/text.h"
#include "views/panel_fixture.h"
#include "views/timing_view/timing_plots.h"
#include "views/timing_view/timing_view.h"
#include "views/timing_view/training_page.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Fixture;

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

Experiment trainedNetwork()
{
    Experiment experiment = test::example("flax-mlp-logical");
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = 2;
    settings.embed = 24;
    settings.hidden = 40;
    return experiment;
}

Experiment trainedDecoder()
{
    Experiment experiment;
    experiment.mesh.axes = { { "data", 2 }, { "model", 4 } };
    experiment.rules.rules = *parseRules("[('batch', 'data'), ('vocab', 'model'), ('mlp', 'model')]");
    TransformerTraining training;
    training.model.layers = 1;
    training.model.batch = 4;
    training.model.length = 8;
    training.model.embed = 16;
    training.model.mlp = 32;
    experiment.model = TransformerModel{ training };
    return experiment;
}

struct TrainingFixture : Fixture {
    RunController controller{ &document };
    TimingView view{ &document, &selection, &controller };

    explicit TrainingFixture(Experiment experiment = trainedNetwork())
        : Fixture(std::move(experiment))
    {
        view.resize(900, 300);
        view.show();
        static_cast<void>(QTest::qWaitForWindowExposed(&view));
        test::named<QPushButton>(&view, u"Training"_s)->setChecked(true);
    }
    void takeSteps(int count)
    {
        const qint64 before = controller.stepsDone();
        for (int step = 0; step < count; ++step)
            controller.runStep();
        QTRY_VERIFY_WITH_TIMEOUT(
            controller.stepsDone() == before + count && controller.state() == RunController::State::Idle, 30'000);
    }
    /// Losses of as many steps of a run of its own that begins with `initial`.
    [[nodiscard]] std::vector<double> lossesFrom(const InitialValues& initial, int count) const
    {
        RunOptions options;
        options.initial = initial;
        const auto run = Run::create(snapshot().plan, options).value();
        const FlatProgram& flat = *snapshot().plan->program;
        const std::size_t loss = lossResult(*flat.program, flat.state).value();
        std::vector<double> losses;
        for (int step = 0; step < count; ++step) {
            run->step();
            losses.push_back(run->gatherResult(loss).at(0));
        }
        return losses;
    }
    [[nodiscard]] std::vector<double> losses() const
    {
        std::vector<double> losses;
        for (const StepFigures& each : controller.timings().figures)
            losses.push_back(each.loss.value_or(notANumber));
        return losses;
    }
};

std::size_t argumentNamed(const Program& program, std::string_view path)
{
    const std::vector<ValueId>& arguments = program.main().arguments;
    std::size_t number = 0;
    while (number < arguments.size() && std::string_view(*program.value(arguments[number]).path) != path)
        ++number;
    return number;
}

} // namespace

class TestTraining : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void axisOfNumbers()
    {
        const plot::StepAxis axis = plot::StepAxis::ofNumbers(4, 5);
        QVERIFY(axis.unit.isEmpty() && axis.perUnit == 1);
        QVERIFY(axis.bottom < 4 && axis.bottom > 3.5 && axis.top > 5 && axis.top < 5.5);
        const plot::StepAxis flat = plot::StepAxis::ofNumbers(0, 0);
        QVERIFY(flat.bottom < 0 && flat.top > 0);
    }

    void tableOfSteps()
    {
        StepTimesModel times;
        times.setTimes(4, { 1e-3, 2e-3, 3e-3 }, { { .loss = 2.5, .parameterNorm = 8.0 }, { .loss = 2.25 } });
        QCOMPARE(times.columnCount(), 5);
        QCOMPARE(times.index(0, 0).data().toString(), u"6"_s); // newest first
        QCOMPARE(times.index(0, 2).data().toString(), u"2.25"_s);
        QCOMPARE(times.index(0, 3).data().toString(), u"–"_s);
        QCOMPARE(times.index(1, 2).data().toString(), u"2.5"_s);
        QCOMPARE(times.index(1, 3).data().toString(), u"8"_s);
        QCOMPARE(times.index(2, 2).data().toString(), u"–"_s); // older than the figures
    }

    void curvesOfSyntheticSteps()
    {
        TrainingFixture f;
        RunController::Timings data;
        data.history.resize(4, { 0.01, std::vector<DeviceTimes>(8, { 1e-3, 1e-3, 1e-3 }) });
        data.stepsDone = 12;
        f.view.show(data);
        QVERIFY(!f.view.findChild<TrainingPage*>()->isVisible()); // no step gave anything
        data.figures = { { .loss = 4.0, .parameterNorm = 10.0 }, { .loss = 3.0, .parameterNorm = 11.0 },
            { .loss = 2.0 }, { .loss = 1.0 } };
        f.view.show(data);
        const TrainingPage* page = f.view.findChild<TrainingPage*>();
        QVERIFY(page->isVisible() && page->finding().isEmpty());
        QCOMPARE(f.view.sentence(), u"Loss 4 after step 9, 1 after step 12"_s);
        QCOMPARE(page->lossPlot()->pointCount(), 4);
        QVERIFY(page->lossPlot()->shownValues().first < 1 && page->lossPlot()->shownValues().second > 4);
        QVERIFY(page->parameterPlot()->isVisible() && !page->gradientPlot()->isVisible());
        QVERIFY(page->parameterPlot()->shownValues().first > 9);
        for (const AccessibleStepPlot* plot : { page->lossPlot(), page->parameterPlot(), page->gradientPlot() })
            QVERIFY(!plot->accessibleName().isEmpty());
        QCOMPARE(page->lossPlot()->tableRowCount(), 4);
        QCOMPARE(page->lossPlot()->tableHeader(1), u"Loss"_s);
        QCOMPARE(page->lossPlot()->tableText(3, 0), u"12"_s);
        QCOMPARE(page->lossPlot()->tableText(1, 1), u"3"_s);
        QCOMPARE(page->parameterPlot()->tableText(3, 1), u"–"_s);
        test::named<QPushButton>(&f.view, u"Training"_s)->setChecked(false);
        QVERIFY(!page->isVisible() && test::named<AccessibleStepPlot>(&f.view, u"Step times"_s)->isVisible());
        QVERIFY(f.view.sentence().contains(u"per step"_s));
    }

    void stepsGiveLossAndNorms()
    {
        TrainingFixture f;
        f.takeSteps(3);
        const std::vector<StepFigures>& figures = f.controller.timings().figures;
        QCOMPARE(figures.size(), std::size_t{ 3 });
        QCOMPARE(f.losses(), f.lossesFrom(initialValuesOf(f.snapshot()), 3));
        for (const StepFigures& each : figures)
            QVERIFY(each.parameterNorm.value_or(0) > 0 && each.gradientNorm.value_or(0) > 0);
        QCOMPARE(f.view.findChild<TrainingPage*>()->lossPlot()->pointCount(), 3);
        QVERIFY(f.view.findChild<TrainingPage*>()->gradientPlot()->isVisible());

        // Between timed steps nothing but the loss is read.
        f.controller.runTimeit(2, 2);
        QTRY_VERIFY_WITH_TIMEOUT(f.controller.lastTimeit().has_value(), 30'000);
        QTRY_COMPARE(f.controller.state(), RunController::State::Idle);
        QCOMPARE(f.controller.timings().figures.size(), std::size_t{ 7 });
        QCOMPARE(f.losses(), f.lossesFrom(initialValuesOf(f.snapshot()), 7));
        QVERIFY(!f.controller.timings().figures.back().parameterNorm);

        f.controller.reset();
        QVERIFY(f.controller.timings().figures.empty());
    }

    void curvesGrowWhileStepsRun()
    {
        TrainingFixture f;
        f.controller.runContinuously();
        QTRY_VERIFY_WITH_TIMEOUT(f.view.findChild<TrainingPage*>()->lossPlot()->pointCount() > 5, 30'000);
        QCOMPARE(f.controller.state(), RunController::State::Continuous);
        f.controller.stop();
        QTRY_COMPARE(f.controller.state(), RunController::State::Idle);
        QCOMPARE(f.controller.timings().figures.size(), f.controller.history().size());
    }

    void curvesWaitWhileARunIsPaused()
    {
        TrainingFixture f;
        QPushButton* button = test::named<QPushButton>(&f.view, u"Pause"_s);
        QVERIFY(button->isHidden());
        f.controller.runContinuously();
        QTRY_VERIFY_WITH_TIMEOUT(f.view.findChild<TrainingPage*>()->lossPlot()->pointCount() > 5, 30'000);
        QVERIFY(!button->isHidden());
        QCOMPARE(button->text(), QStringLiteral("Pause"));
        button->click();
        QVERIFY(f.controller.isPaused());
        QCOMPARE(button->text(), QStringLiteral("Continue"));
        QTest::qWait(200);
        const int points = static_cast<int>(f.view.findChild<TrainingPage*>()->lossPlot()->pointCount());
        QTest::qWait(50);
        QCOMPARE(static_cast<int>(f.view.findChild<TrainingPage*>()->lossPlot()->pointCount()), points);
        button->click();
        QCOMPARE(button->text(), QStringLiteral("Pause"));
        QTRY_VERIFY_WITH_TIMEOUT(f.view.findChild<TrainingPage*>()->lossPlot()->pointCount() > points, 30'000);
        f.controller.stop();
        QTRY_COMPARE(f.controller.state(), RunController::State::Idle);
        QVERIFY(button->isHidden());
    }

    /// The batches of the command train, from the file itself.
    void aTransformerReadsOtherTokensInEachStep()
    {
        std::ifstream file(SHARDSCOPE_SOURCE_DIR "/resources/texts/sharding.txt", std::ios::binary);
        const std::string text{ std::istreambuf_iterator<char>(file), {} };
        QVERIFY(text.size() > 1000);
        QVERIFY(text == trainingText());

        TrainingFixture f(trainedDecoder());
        QVERIFY(f.snapshot().ok());
        f.takeSteps(4);
        const TransformerSettings& s = std::get<TransformerModel>(f.document.experiment()->model).settings.model;
        const auto batches = std::make_shared<const TokenBatches>(
            TokenBatches::create(text, { s.batch, s.length }, s.vocab, f.document.experiment()->run.seed).value());
        InitialValues initial = initialValuesOf(f.snapshot());
        const std::vector<double> fixed = f.lossesFrom(initial, 4);
        const Program& program = *f.snapshot().program;
        const std::size_t tokens = argumentNamed(program, "tokens"), targets = argumentNamed(program, "targets");
        QVERIFY(tokens < program.main().arguments.size() && targets < program.main().arguments.size());
        initial.perStep[tokens] = [batches](std::int64_t step) { return batches->tokens(step); };
        initial.perStep[targets] = [batches](std::int64_t step) { return batches->targets(step); };
        QCOMPARE(f.losses(), f.lossesFrom(initial, 4));
        QVERIFY(f.losses() != fixed);
        // From the beginning again.
        const std::vector<double> before = f.losses();
        f.controller.reset();
        f.takeSteps(4);
        QCOMPARE(f.losses(), before);
    }

    void whatIsChosenStaysTheSame()
    {
        Experiment experiment = trainedDecoder();
        experiment.run.initial = { { "tokens", parseInitialValue("integers 8").value() } };
        const Fixture f(experiment);
        const InitialValues values = trainingValuesOf(f.snapshot());
        QCOMPARE(values.perStep.count(argumentNamed(*f.snapshot().program, "tokens")), std::size_t{ 0 });
        QCOMPARE(values.perStep.count(argumentNamed(*f.snapshot().program, "targets")), std::size_t{ 1 });
        // A vocabulary without the bytes of the text.
        std::get<TransformerModel>(experiment.model).settings.model.vocab = 16;
        const Fixture small(experiment);
        QVERIFY(small.snapshot().ok() && trainingValuesOf(small.snapshot()).perStep.empty());
        QVERIFY(trainingValuesOf(Fixture(trainedNetwork()).snapshot()).perStep.empty());
    }

    /// A parameter so large that the loss, a sum of squares or of products with it, is no 32-bit number any more.
    void whatIsNotFiniteIsFound()
    {
        Experiment experiment = trainedNetwork();
        experiment.run.initial = { { "params/**", parseInitialValue("constant 1e30").value() } };
        TrainingFixture f(experiment);
        f.takeSteps(2);
        TrainingPage* page = f.view.findChild<TrainingPage*>();
        QVERIFY2(page->finding().startsWith(u"Step 1 is the first"_s), qPrintable(page->finding()));
        auto* find = test::named<QPushButton>(page, u"Find where it begins"_s);
        QVERIFY(find->isVisible() && find->isEnabled());
        QTest::mouseClick(find, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(page->finding().startsWith(u"Step 1: The first infinity is"_s), 30'000);
        QVERIFY(!find->isVisible());
        // After another beginning there is nothing to be found.
        f.controller.reset();
        QVERIFY(page->finding().isEmpty() || !page->isVisible());
    }
};

REGISTER_TEST(TestTraining)
#include "test_training.moc"

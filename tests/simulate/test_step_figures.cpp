// SPDX-License-Identifier: GPL-3.0-or-later
// Loss and norms of a step, against sums over the arrays themselves, on one device and on several.
#include <QtTest>

#include <cmath>

#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/step_figures.h"
#include "simulate/small_mlp.h"

using namespace shardscope;

namespace {

double squares(const std::vector<double>& numbers)
{
    double sum = 0;
    for (const double number : numbers)
        sum += number * number;
    return sum;
}

struct FiguresOfSteps {
    std::vector<StepFigures> read, summed; ///< by the reader, and here
};

/// Two steps of the small MLP.
FiguresOfSteps figuresOn(int data, int model)
{
    const auto onMesh = test::mlpOnDevices(test::smallMlp(), test::makeMesh({ { "data", data }, { "model", model } }));
    const Program& program = *onMesh->program;
    ScheduleOptions keeping;
    keeping.keep = test::gradientsOf(program);
    RunOptions options;
    options.threads = 2;
    options.initial = test::randomValues();
    const auto run = Run::create(test::makePlan(onMesh, keeping), options).value();
    const StepFigureReader reader(program, onMesh->state);
    FiguresOfSteps found;
    for (int step = 0; step < 2; ++step) {
        run->step();
        found.read.push_back(reader.figures(*run));
        StepFigures own;
        own.loss = run->gather(program.find("loss")).at(0);
        double parameters = 0, gradients = 0;
        for (const ValueId argument : program.main().arguments) // the state stands where it stood
            if (program.value(argument).role == Role::Parameter)
                parameters += squares(run->gather(argument));
        for (const ValueId gradient : test::gradientsOf(program))
            gradients += squares(run->gather(gradient));
        own.parameterNorm = std::sqrt(parameters);
        own.gradientNorm = std::sqrt(gradients);
        found.summed.push_back(own);
    }
    return found;
}

bool near(const std::optional<double>& a, const std::optional<double>& b, double relative)
{
    return a && b && std::abs(*a - *b) <= relative * std::abs(*b);
}

} // namespace

class TestStepFigures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areThoseOfTheArrays()
    {
        const FiguresOfSteps one = figuresOn(1, 1), eight = figuresOn(2, 4);
        QCOMPARE(one.read.size(), std::size_t{ 2 });
        for (std::size_t step = 0; step < 2; ++step) {
            for (const FiguresOfSteps* each : { &one, &eight }) {
                QVERIFY(near(each->read[step].loss, each->summed[step].loss, 1e-6));
                QVERIFY(near(each->read[step].parameterNorm, each->summed[step].parameterNorm, 1e-12));
                QVERIFY(near(each->read[step].gradientNorm, each->summed[step].gradientNorm, 1e-12));
            }
            QVERIFY(near(eight.read[step].loss, one.read[step].loss, 1e-4));
            QVERIFY(near(eight.read[step].parameterNorm, one.read[step].parameterNorm, 1e-4));
            QVERIFY(near(eight.read[step].gradientNorm, one.read[step].gradientNorm, 1e-3));
        }
        QVERIFY(one.read[0].loss != one.read[1].loss); // a step changes it
    }

    void aForwardPassHasALossAlone()
    {
        MlpSettings settings = test::smallMlp();
        settings.trainStep = false;
        const auto onMesh = test::mlpOnDevices(settings, test::makeMesh({ { "data", 2 }, { "model", 2 } }));
        RunOptions options;
        options.initial = test::randomValues();
        const auto run = Run::create(test::makePlan(onMesh), options).value();
        run->step();
        const StepFigureReader reader(*onMesh->program, onMesh->state);
        const StepFigures figures = reader.figures(*run);
        QVERIFY(figures.loss.has_value());
        QCOMPARE(*figures.loss, run->gatherResult(0).at(0));
        QVERIFY(!figures.parameterNorm && !figures.gradientNorm);
        QCOMPARE(reader.workingBytes(), 0.0);
    }

    /// 40 x 24 elements are the most that an array of the small MLP has.
    void theirMemoryIsThatOfTheLargestArray()
    {
        const auto onMesh = test::mlpOnDevices(test::smallMlp(), test::makeMesh({ { "data", 2 }, { "model", 2 } }));
        QCOMPARE(StepFigureReader(*onMesh->program, onMesh->state).workingBytes(), 40.0 * 24 * 8);
    }
};

REGISTER_TEST(TestStepFigures)
#include "test_step_figures.moc"

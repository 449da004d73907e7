// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments with other numbers in every step: on the devices, in the reference, and after a reset.
#include <QtTest>

#include <cmath>

#include "base/codes.h"
#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"
#include "simulate/run/step_replay.h"
#include "simulate/small_mlp.h"

using namespace shardscope;

namespace {

/// The forward pass alone: z and the loss are homogeneous in x, so that twice the input gives exactly twice the loss.
MlpSettings forwardSettings()
{
    MlpSettings settings = test::smallMlp();
    settings.trainStep = false;
    settings.layers = 2;
    return settings;
}

std::vector<double> doubling(std::int64_t step)
{
    const MlpSettings settings = forwardSettings();
    std::vector<double> x(static_cast<std::size_t>(settings.batch * settings.embed));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::ldexp(std::sin(0.3 * static_cast<double>(i) + 1), static_cast<int>(step));
    for (double& number : x) // as the devices hold them
        number = static_cast<double>(static_cast<float>(number));
    return x;
}

std::size_t numberOfInput(const Program& program)
{
    const std::vector<ValueId>& arguments = program.main().arguments;
    return static_cast<std::size_t>(
        std::find(arguments.begin(), arguments.end(), program.find("x")) - arguments.begin());
}

} // namespace

class TestStepInputs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyStepReadsItsOwn_data()
    {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("model");
        QTest::newRow("one device") << 1 << 1;
        QTest::newRow("2 x 4") << 2 << 4;
        QTest::newRow("8 x 1") << 8 << 1;
    }
    void everyStepReadsItsOwn()
    {
        QFETCH(int, data);
        QFETCH(int, model);
        const auto onMesh =
            test::mlpOnDevices(forwardSettings(), test::makeMesh({ { "data", data }, { "model", model } }));
        const Program& program = *onMesh->program;
        RunOptions options;
        options.threads = 2;
        options.initial = test::randomValues();
        options.initial.perStep[numberOfInput(program)] = doubling;
        auto created = Run::create(test::makePlan(onMesh), options);
        QVERIFY2(created.has_value(), created ? "" : std::string(created.error().id()).c_str());
        Run& run = **created;

        const ValueId x = program.find("x");
        QCOMPARE(run.gather(x), doubling(0));
        std::vector<double> losses;
        for (int step = 0; step < 4; ++step) {
            run.step();
            QVERIFY(!run.stopped());
            losses.push_back(run.gatherResult(0).at(0));
            QCOMPARE(run.gather(x), doubling(step + 1)); // what the next step reads
        }
        QVERIFY(losses[0] != 0);
        for (std::size_t step = 1; step < losses.size(); ++step)
            QCOMPARE(losses[step], 2 * losses[step - 1]);

        run.reset();
        QCOMPARE(run.gather(x), doubling(0));
        run.step();
        QCOMPARE(run.gatherResult(0).at(0), losses[0]);

        // The reference takes the same steps.
        StepReplay replay(onMesh, options.initial);
        const auto reference = replay.reference(program.find("loss"), 3);
        QVERIFY(reference.has_value() && *reference && (*reference)->size() == 1);
        QVERIFY(std::abs((*reference)->front() - losses[2]) <= 1e-4 * std::abs(losses[2]));
    }

    void othersStayAsTheyAre()
    {
        const auto onMesh = test::mlpOnDevices(forwardSettings(), test::makeMesh({ { "data", 2 }, { "model", 2 } }));
        const Program& program = *onMesh->program;
        InitialValues initial = test::randomValues();
        const InitialArrays without(program, initial);
        initial.perStep[numberOfInput(program)] = doubling;
        InitialArrays with(program, initial);
        QCOMPARE(with.changing(), std::vector<std::size_t>{ numberOfInput(program) });
        QVERIFY(without.changing().empty());
        const ValueId w = program.find("params/layers.0/W1"), x = program.find("x");
        QCOMPARE(with.at(w, 17), without.at(w, 17));
        QCOMPARE(with.at(x, 17), doubling(0)[17]);
        with.setStep(5);
        QCOMPARE(with.at(w, 17), without.at(w, 17));
        QCOMPARE(with.at(x, 17), doubling(5)[17]);
    }

    void whatDoesNotFitIsRefused()
    {
        const auto onMesh = test::mlpOnDevices(forwardSettings(), test::makeMesh({ { "data", 2 }, { "model", 2 } }));
        const auto plan = test::makePlan(onMesh);
        const auto refused = [&](std::size_t argument, std::size_t count) {
            RunOptions options;
            options.initial.perStep[argument] = [count](std::int64_t) { return std::vector<double>(count); };
            const auto run = Run::create(plan, options);
            return run ? Code::UnknownTensor : run.error().code;
        };
        QCOMPARE(refused(numberOfInput(*onMesh->program), 3), Code::TypeMismatch);
        QCOMPARE(refused(999, 3), Code::TypeMismatch);
    }
};

REGISTER_TEST(TestStepInputs)
#include "test_step_inputs.moc"

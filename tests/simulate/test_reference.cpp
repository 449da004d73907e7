// SPDX-License-Identifier: GPL-3.0-or-later
// The reference executor against the tests' own interpreter, its two precisions, and what its bounds promise.
#include <QtTest>

#include <cmath>

#include "networks/mlp.h"
#include "program/interpret.h"
#include "simulate/reference.h"

using namespace shardscope;

namespace {

MlpSettings settingsFor(DType dtype)
{
    MlpSettings settings;
    settings.layers = 2;
    settings.batch = 4;
    settings.embed = 6;
    settings.hidden = 10;
    settings.dtype = dtype;
    return settings;
}

InitialValues randomValues()
{
    InitialValues initial;
    initial.seed = 9;
    initial.randomInputs = true;
    return initial;
}

} // namespace

class TestReference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithInterpreter();
    void boundsHold();
    void recomputes();
    void refusesTooMuch();
};

void TestReference::agreesWithInterpreter()
{
    const Program program = buildMlp(settingsFor(DType::F64)).value();
    ReferenceState state = referenceStart(program, randomValues()).value();
    for (int step = 0; step < 3; ++step) {
        std::vector<test::Array> arguments;
        for (const ValueId argument : program.main().arguments)
            arguments.push_back(state.values[argument.index]);
        const auto expected = test::interpret(program, arguments);
        referenceStep(program, state);
        for (const OperationId id : program.main().operations) {
            const ValueId value = program.operation(id).results[0];
            for (std::size_t i = 0; i < expected[value.index].size(); ++i) {
                const double right = expected[value.index][i];
                QVERIFY(std::fabs(state.values[value.index][i] - right) <= 1e-12 * std::max(1.0, std::fabs(right)));
            }
        }
    }
    QCOMPARE(state.steps, std::int64_t(3));
    QCOMPARE(state.values[program.find("step").index][0], 3.0);
}

// f32 differs from double, by less than the bound; and the bound is of the size of the rounding, not of the values.
void TestReference::boundsHold()
{
    const Program program = buildMlp(settingsFor(DType::F32)).value();
    ReferenceState single = referenceStart(program, randomValues()).value();
    ReferenceState exact =
        referenceStart(program, randomValues(), std::int64_t{ 8 } << 30, ReferencePrecision::Double).value();
    for (const ValueId argument : program.main().arguments)
        QVERIFY(single.values[argument.index] == exact.values[argument.index]);
    referenceCompute(program, single);
    referenceCompute(program, exact);
    double differences = 0;
    for (std::size_t v = 0; v < program.values.size(); ++v) {
        if (program.values[v].role != Role::Gradient && program.values[v].role != Role::Loss)
            continue;
        const RoundingBound bound = roundingBound(program, exact, ValueId(v));
        QVERIFY(bound.terms >= 4 && bound.terms < 100);
        double largest = 0;
        for (const double element : exact.values[v])
            largest = std::max(largest, std::fabs(element));
        for (std::size_t i = 0; i < bound.magnitude.size(); ++i) {
            const double difference = std::fabs(single.values[v][i] - exact.values[v][i]);
            QVERIFY(difference <= 2 * bound.terms * 0x1p-23 * bound.magnitude[i]);
            QVERIFY(bound.magnitude[i] >= std::fabs(exact.values[v][i]) * (1 - 1e-12));
            differences += difference;
            QVERIFY(2 * bound.terms * 0x1p-23 * bound.magnitude[i] < 1e-2 * largest);
        }
    }
    QVERIFY(differences > 0);
    const double step = exact.values[program.find("next(params/layers.0/W1)").index][0];
    QVERIFY(step != single.values[program.find("next(params/layers.0/W1)").index][0]);
}

void TestReference::recomputes()
{
    const Program program = buildMlp(settingsFor(DType::F64)).value();
    ReferenceState state = referenceStart(program, randomValues()).value();
    referenceCompute(program, state);
    const ValueId gradient = program.find("grad(params/layers.0/W1)");
    const ValueId mu = program.find("next(opt/mu/layers.0/W1)");
    const ValueId other = program.find("next(opt/mu/layers.0/W2)");
    const auto otherBefore = state.values[other.index];
    for (double& element : state.values[gradient.index])
        element = 0.5;
    referenceRecompute(program, state, std::span(&gradient, 1));
    for (const double element : state.values[mu.index])
        QVERIFY(std::fabs(element - 0.05) < 1e-15);
    for (const double element : state.values[gradient.index])
        QCOMPARE(element, 0.5);
    QVERIFY(state.values[other.index] == otherBefore);
}

void TestReference::refusesTooMuch()
{
    MlpSettings settings = settingsFor(DType::F32);
    settings.embed = settings.hidden = std::int64_t{ 1 } << 28;
    const auto refused = referenceStart(buildMlp(settings).value(), {});
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, Code::TooLarge);
}

QTEST_APPLESS_MAIN(TestReference)
#include "test_reference.moc"

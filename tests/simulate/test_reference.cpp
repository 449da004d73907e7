// SPDX-License-Identifier: GPL-3.0-or-later
// The reference executor against the tests' own interpreter, its two precisions, and what its bounds promise.
#include <QtTest>

#include <cmath>
#include <random>

#include "networks/mlp.h"
#include "program/builder.h"
#include "program/interpret.h"
#include "program/op_row.h"
#include "registered_test.h"
#include "schedule/work.h"
#include "simulate/check/check_plan.h"
#include "simulate/check/rounding_bound.h"
#include "simulate/small_mlp.h"
#include "simulate/whole_reference.h"

using namespace shardscope;

namespace {

/// Smaller still: the reference and the interpreter are slow.
MlpSettings settingsFor(DType dtype)
{
    MlpSettings settings = test::smallMlp(dtype);
    settings.layers = 2;
    settings.batch = 4;
    settings.embed = 6;
    settings.hidden = 10;
    return settings;
}

} // namespace

class TestReference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithInterpreter();
    void boundsHold();
    void boundsHoldForEveryOperation();
    void computesWhatIsAskedFor();
    void schedulesDeepPrograms();
    void integersWrapAround();
};

void TestReference::agreesWithInterpreter()
{
    const Program program = buildMlp(settingsFor(DType::F64)).value();
    ReferenceState state = referenceArguments(program, test::randomValues(9), ReferencePrecision::AsTyped);
    for (int step = 0; step < 3; ++step) {
        std::vector<test::Array> arguments;
        for (const ValueId argument : program.main().arguments)
            arguments.push_back(state.values[argument.index]);
        const auto expected = test::interpret(program, arguments);
        test::stepWhole(program, state);
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
    MlpSettings settings = settingsFor(DType::F32);
    for (const LossKind loss : { LossKind::SumOfOutputs, LossKind::HalfSumOfSquares }) {
        settings.loss = loss;
        const Program program = buildMlp(settings).value();
        ReferenceState single = referenceArguments(program, test::randomValues(9), ReferencePrecision::AsTyped);
        ReferenceState exact = referenceArguments(program, test::randomValues(9), ReferencePrecision::Double);
        for (const ValueId argument : program.main().arguments)
            QVERIFY(single.values[argument.index] == exact.values[argument.index]);
        test::computeAll(program, single);
        test::computeAll(program, exact);
        RoundingBounds bounds(program, exact, sumLengths(program));
        double differences = 0;
        for (const OperationId id : program.main().operations) {
            const Operation& operation = program.operation(id);
            const ValueId value = operation.results[0];
            bounds.follow(operation);
            const Role role = program.value(value).role;
            if (role != Role::Gradient && role != Role::Loss && role != Role::Activation)
                continue;
            const RoundingBound bound = bounds.of(value);
            QVERIFY(bound.roundings >= 6 && bound.roundings < 200);
            const std::vector<double>& right = exact.values[value.index];
            double largest = 0;
            for (const double element : right)
                largest = std::max(largest, std::fabs(element));
            for (std::size_t i = 0; i < bound.magnitude.size(); ++i) {
                const double difference = std::fabs(single.values[value.index][i] - right[i]);
                const double allowed = bound.roundings * 0x1p-24 * bound.magnitude[i] * 1.001; // of second order
                QVERIFY(difference <= allowed);
                QVERIFY(bound.magnitude[i] >= std::fabs(right[i]) * (1 - 1e-12));
                QVERIFY(allowed < 0.05 * largest);
                QVERIFY(bound.absolute > 0 && bound.absolute < 1e-30); // nothing beside numbers of that size
                differences += difference;
            }
        }
        QVERIFY(differences > 0);
        const std::uint32_t next = program.find("next(params/layers.0/W1)").index;
        QVERIFY(exact.values[next][0] != single.values[next][0]);
    }
}

// Every operation whose bound is followed, on random numbers of all sizes, those that underflow among them: one
// rounding at a time, and several in a row.
void TestReference::boundsHoldForEveryOperation()
{
    const TensorType type{ DType::F32, { 3, 5 } };
    for (std::size_t k = 0; k < opKindCount; ++k) {
        const auto kind = static_cast<OpKind>(k);
        const OpRow& row = opRow(kind);
        if (!hasFusedKernel(kind, DType::F32, DType::F32) || kind == OpKind::Convert || kind == OpKind::Not
            || kind == OpKind::And || kind == OpKind::Or || kind == OpKind::Compare
            || kind == OpKind::ShardingConstraint)
            continue;
        Builder builder("one");
        std::vector<ValueId> arguments;
        for (const char* path : { "a", "b", "c", "d" }) // parameters: random numbers of both signs
            arguments.push_back(builder.argument(type, path, Role::Parameter));
        const bool exactOperands = kind == OpKind::Exponential || kind == OpKind::Log || kind == OpKind::Logistic
            || kind == OpKind::Tanh || kind == OpKind::Sqrt || kind == OpKind::Rsqrt || kind == OpKind::Sign
            || kind == OpKind::Sine || kind == OpKind::Cosine || kind == OpKind::Power;
        std::vector<ValueId> operands;
        for (int o = 0; o < row.operandCount; ++o) {
            const auto i = static_cast<std::size_t>(o);
            const ValueId argument = arguments[i];
            if (kind == OpKind::Select && o == 0)
                operands.push_back(builder.compare(Comparison::Greater, argument, arguments[3]));
            else if (exactOperands)
                operands.push_back(builder.unary(OpKind::Abs, argument)); // for log, sqrt and power
            else if (kind == OpKind::Divide && o == 1)
                operands.push_back(argument);
            else // operands that were rounded themselves
                operands.push_back(builder.binary(OpKind::Multiply, argument, arguments[(i + 1) % 4]));
        }
        const bool vanishes = kind == OpKind::Exponential || kind == OpKind::Logistic;
        if (vanishes)
            operands[0] = builder.unary(OpKind::Negate, operands[0]);
        const ValueId value = builder.add(kind, operands, {});
        if (kind == OpKind::Multiply)
            builder.result(builder.reduce(ReduceKind::Product, value, { 1 }));
        const ValueId sum = builder.reduce(ReduceKind::Sum, value, { 1 });
        builder.result(builder.reduce(ReduceKind::Min, sum, { 0 }));
        const Program program = std::move(builder).finish();
        double differences = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            ReferenceState single = referenceArguments(program, {}, ReferencePrecision::AsTyped);
            std::mt19937 random(static_cast<unsigned>(seed));
            const double scales[] = { 1, 0x1p-70, 0x1p-74, 0x1p-140, vanishes ? 64.0 : 1.0 };
            for (const ValueId argument : arguments)
                for (double& element : single.values[argument.index])
                    element =
                        static_cast<float>(scales[seed % 5] * std::uniform_real_distribution<double>(-2, 2)(random));
            ReferenceState exact = single;
            exact.precision = ReferencePrecision::Double;
            test::computeAll(program, single);
            RoundingBounds bounds(program, exact, sumLengths(program));
            for (const OperationId id : program.main().operations) {
                const Operation& operation = program.operation(id);
                const std::uint32_t result = operation.results[0].index;
                referenceCompute(program, exact, operation);
                bounds.follow(operation);
                const RoundingBound bound = bounds.of(operation.results[0]);
                for (std::size_t i = 0; i < bound.magnitude.size(); ++i) {
                    const double difference = std::fabs(single.values[result][i] - exact.values[result][i]);
                    if (!std::isfinite(exact.values[result][i]) || std::fabs(exact.values[result][i]) > 3e38)
                        continue; // a divisor of 0
                    const double allowed = bound.roundings * 0x1p-24 * bound.magnitude[i] + bound.absolute;
                    QVERIFY2(difference <= allowed * 1.001, std::string(row.name).c_str());
                    differences += difference;
                }
            }
        }
        QVERIFY2(differences > 0 || kind == OpKind::Sign, std::string(row.name).c_str());
    }
}

void TestReference::computesWhatIsAskedFor()
{
    const Program program = buildMlp(settingsFor(DType::F64)).value();
    const ReferenceState start = referenceArguments(program, test::randomValues(9), ReferencePrecision::AsTyped);
    ReferenceState whole = start;
    test::computeAll(program, whole);
    const ValueId gradient = program.find("grad(params/layers.0/W1)");
    const ValueId loss = program.find("loss");
    const ValueId mu = program.find("next(opt/mu/layers.0/W1)");

    // Only the targets are left, and they are right.
    ReferenceState state = start;
    const ValueId targets[] = { gradient, loss };
    const ReferenceSchedule toGradient = referenceSchedule(program, {}, targets);
    referenceCompute(program, state, toGradient);
    double left = 0;
    for (std::size_t v = 0; v < program.values.size(); ++v) {
        const std::vector<double>& array = state.values[v];
        if (program.values[v].definition.valid())
            left += 8 * static_cast<double>(array.size());
        if (!array.empty())
            QVERIFY(array == whole.values[v]);
    }
    QCOMPARE(left, 8 * static_cast<double>(whole.values[gradient.index].size() + 1));
    QVERIFY(toGradient.peakBytes >= left);
    double all = 0;
    for (const std::vector<double>& array : whole.values)
        all += 8 * static_cast<double>(array.size());
    QVERIFY(toGradient.peakBytes < all / 3);

    // From a given value on: nothing behind it is computed again.
    for (double& element : state.values[gradient.index])
        element = 0.5;
    const ReferenceSchedule fromGradient = referenceSchedule(program, std::span(&gradient, 1), std::span(&mu, 1));
    QVERIFY(fromGradient.steps.size() < 8);
    referenceCompute(program, state, fromGradient);
    for (const double element : state.values[mu.index])
        QVERIFY(std::fabs(element - 0.05) < 1e-15);
    for (const double element : state.values[gradient.index])
        QCOMPARE(element, 0.5);
    QVERIFY(referenceSchedule(program, std::span(&gradient, 1), std::span(&gradient, 1)).steps.empty());
}

// 12,000 schedules of a program of some 100,000 operations: each one of its few operations alone.
void TestReference::schedulesDeepPrograms()
{
    MlpSettings settings = settingsFor(DType::F32);
    settings.layers = 2048;
    const Program program = buildMlp(settings).value();
    const CheckPlan plan(program);
    QCOMPARE(plan.state.size(), std::size_t{ 2048 * 2 * 3 + 2 });
    for (const CheckPlan::State& state : plan.state) {
        const bool isParameter = program.value(state.argument).role == Role::Parameter;
        QCOMPARE(state.gradient.valid(), isParameter);
        QVERIFY(state.fromLinks.steps.size() < 100);
        QCOMPARE(state.fromGradients.steps.empty(), !isParameter);
    }
}

// As kernels compute, modulo 2^32: terms that fit neither a double nor 64 bits, and powers that take 2^31 factors.
void TestReference::integersWrapAround()
{
    const TensorType row{ DType::I32, { 5 } };
    Builder builder("integers");
    const ValueId a = builder.argument(row, "a", Role::Parameter);
    const ValueId b = builder.argument(row, "b", Role::Parameter);
    const ValueId dot = builder.dotGeneral(a, b, { {}, {}, { 0 }, { 0 } });
    const ValueId product = builder.reduce(ReduceKind::Product, a, { 0 });
    const ValueId power = builder.binary(OpKind::Power, a, b);
    builder.result(dot);
    builder.result(product);
    builder.result(power);
    const Program program = std::move(builder).finish();
    const std::vector<std::int64_t> left{ 2147483647, 2147483647, 2147483647, -2147483647, 3 };
    const std::vector<std::int64_t> right{ 2147483647, 2147483647, 2147483646, 2147483647, 2147483647 };
    ReferenceState state = referenceArguments(program, {}, ReferencePrecision::AsTyped);
    std::uint32_t sum = 0;
    std::uint32_t all = 1;
    for (std::size_t i = 0; i < left.size(); ++i) {
        state.values[a.index][i] = static_cast<double>(left[i]);
        state.values[b.index][i] = static_cast<double>(right[i]);
        sum += static_cast<std::uint32_t>(left[i]) * static_cast<std::uint32_t>(right[i]);
        all *= static_cast<std::uint32_t>(left[i]);
    }
    test::computeAll(program, state);
    QCOMPARE(state.values[dot.index][0], static_cast<double>(static_cast<std::int32_t>(sum)));
    QCOMPARE(state.values[product.index][0], static_cast<double>(static_cast<std::int32_t>(all)));
    // (-1)^odd = -1 and (-1)^even = 1, of 2^31 - 1 = -1 - 2^31 likewise up to the highest bit; 3 has the order 2^30
    // modulo 2^32, so that 3^(2^31 - 1) is its inverse.
    const std::vector<double> powers = state.values[power.index];
    QCOMPARE(powers[0], 2147483647.0);
    QCOMPARE(powers[1], 2147483647.0);
    QCOMPARE(powers[2], 1.0);
    QCOMPARE(powers[3], -2147483647.0);
    QCOMPARE(static_cast<std::uint32_t>(static_cast<std::int32_t>(powers[4])) * 3U, 1U);
}

REGISTER_TEST(TestReference)
#include "test_reference.moc"

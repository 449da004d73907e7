// SPDX-License-Identifier: GPL-3.0-or-later
// The unsharded reference against the tests' own interpreter, and what the bounds of its sums promise.
#include <QtTest>

#include <cmath>
#include <random>

#include "networks/mlp.h"
#include "program/builder.h"
#include "program/interpret.h"
#include "registered_test.h"
#include "simulate/check/rounding_bound.h"
#include "simulate/executed.h"
#include "simulate/run/step_replay.h"
#include "simulate/small_mlp.h"

using namespace shardscope;

namespace {

/// Smaller still: the interpreter is slow.
MlpSettings settingsFor(DType dtype)
{
    MlpSettings settings = test::smallMlp(dtype);
    settings.layers = 2;
    settings.batch = 4;
    settings.embed = 6;
    settings.hidden = 10;
    return settings;
}

/// Random numbers of both signs.
kernels::Array drawn(DType dtype, const Shape& shape, double scale, std::mt19937& random)
{
    kernels::Array array = kernels::Array::make({ dtype, shape });
    for (std::int64_t i = 0; i < array.count(); ++i)
        kernels::setNumber(array, i, scale * std::uniform_real_distribution<double>(-2, 2)(random));
    return array;
}

} // namespace

class TestReference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithInterpreter();
    void boundsHold();
    void boundsAreSharp();
    void integersWrapAround();
};

void TestReference::agreesWithInterpreter()
{
    const auto program = std::make_shared<const Program>(buildMlp(settingsFor(DType::F64)).value());
    const InitialArrays initial(*program, test::randomValues(9));
    std::vector<test::Array> arguments;
    for (std::size_t a = 0; a < program->main().arguments.size(); ++a) {
        const kernels::Array array = initial.array(a);
        arguments.emplace_back();
        for (std::int64_t i = 0; i < array.count(); ++i)
            arguments.back().push_back(kernels::numberAt(array, i));
    }
    StepReplay replay(test::flatInFull(program), test::randomValues(9));
    for (std::int64_t step = 1; step <= 3; ++step) {
        const auto expected = test::interpret(*program, arguments);
        for (const OperationId id : program->main().operations) {
            const ValueId value = program->operation(id).results[0];
            const auto found = replay.reference(value, step);
            QVERIFY(found);
            if ((*found)->empty())
                continue; // an operation that computes nothing
            QCOMPARE((*found)->size(), expected[value.index].size());
            for (std::size_t i = 0; i < expected[value.index].size(); ++i) {
                const double right = expected[value.index][i];
                QVERIFY(std::fabs((**found)[i] - right) <= 1e-12 * std::max(1.0, std::fabs(right)));
            }
        }
        for (const StatePair& pair : program->state)
            arguments[program->value(pair.argument).index] = expected[program->main().results[pair.result].index];
    }
    QCOMPARE((**replay.reference(program->find("step"), 3))[0], 3.0);
}

// Sums in any order of the terms are within the bound, on numbers of all sizes, those that underflow among them.
void TestReference::boundsHold()
{
    std::mt19937 random(7);
    for (const DType dtype : { DType::F32, DType::F64, DType::BF16, DType::F16 }) {
        Builder builder("sums");
        const ValueId a = builder.argument({ dtype, { 3, 40 } }, "a", Role::Input);
        const ValueId b = builder.argument({ dtype, { 40, 5 } }, "b", Role::Input);
        const ValueId product = builder.dot(a, b);
        builder.result(product);
        builder.result(builder.reduce(ReduceKind::Sum, a, { 1 }));
        const Program program = std::move(builder).finish();
        for (const double scale : { 1.0, 0x1p-70, 0x1p-74, 0x1p-140, 0x1p60 }) {
            if (dtype == DType::F16 && scale != 1)
                continue;
            const kernels::Array x = drawn(dtype, { 3, 40 }, scale, random), y = drawn(dtype, { 40, 5 }, 1, random);
            const auto sum = roundedResult(program, program.operations[1], kernels::Arrays{ x }, 8);
            const auto dot = roundedResult(program, program.operations[0], kernels::Arrays{ x, y }, 8);
            QVERIFY(sum && dot);
            for (std::int64_t row = 0; row < 3; ++row) {
                kernels::Array total = kernels::Array::zeros({ dtype, { 15 } });
                // Eight devices, each with five terms; the last device first.
                for (std::int64_t device = 8; device-- > 0;) {
                    double part = 0;
                    for (std::int64_t k = 0; k < 5; ++k) {
                        const double term = kernels::numberAt(x, row * 40 + device * 5 + k);
                        part = dtype == DType::F64 ? part + term : static_cast<double>(static_cast<float>(part + term));
                    }
                    kernels::setNumber(total, 0, part); // rounded to the type
                    const double before = kernels::numberAt(total, 1);
                    kernels::setNumber(total, 1, before + kernels::numberAt(total, 0));
                }
                const double right = sum->exact.as<double>()[row];
                const double apart = std::fabs(kernels::numberAt(total, 1) - right);
                QVERIFY2(apart <= sum->tolerances[static_cast<std::size_t>(row)], std::string(name(dtype)).c_str());
            }
            QCOMPARE(dot->tolerances.size(), std::size_t{ 15 });
        }
    }
}

// And they are of the size of roundings, not of the numbers.
void TestReference::boundsAreSharp()
{
    std::mt19937 random(11);
    Builder builder("product");
    const ValueId a = builder.argument({ DType::F32, { 16, 24 } }, "a", Role::Input);
    const ValueId b = builder.argument({ DType::F32, { 24, 40 } }, "b", Role::Input);
    builder.result(builder.dot(a, b));
    const Program program = std::move(builder).finish();
    const kernels::Arrays operands{ drawn(DType::F32, { 16, 24 }, 1, random),
        drawn(DType::F32, { 24, 40 }, 1, random) };
    const auto found = roundedResult(program, program.operations[0], operands, 8);
    double largest = 0;
    for (std::int64_t i = 0; i < 16 * 40; ++i)
        largest = std::max(largest, std::fabs(found->exact.as<double>()[i]));
    for (std::int64_t row = 0; row < 16; ++row)
        for (std::int64_t column = 0; column < 40; ++column) {
            double exact = 0, magnitude = 0;
            for (std::int64_t k = 0; k < 24; ++k) {
                const double term =
                    kernels::numberAt(operands[0], row * 24 + k) * kernels::numberAt(operands[1], k * 40 + column);
                exact += term;
                magnitude += std::fabs(term);
            }
            const auto at = static_cast<std::size_t>(row * 40 + column);
            QVERIFY(std::fabs(found->exact.as<double>()[at] - exact) <= 1e-12);
            QVERIFY(std::fabs(found->tolerances[at] - 26 * 0x1p-24 * magnitude) <= 1e-10);
            QVERIFY(found->tolerances[at] < 1e-5 * largest);
        }
    // A long sum follows the additions that one term passes through: 8192 in 16 lanes, these by halves, 15 left over,
    // 8 devices, and 1 for the exact one.
    Builder sums("sum");
    const ValueId x = sums.argument({ DType::F32, { 8, 1024 } }, "x", Role::Input);
    const ValueId v = sums.argument({ DType::F32, { 8192, 3 } }, "v", Role::Input);
    sums.result(sums.reduce(ReduceKind::Sum, x, { 0, 1 }));
    sums.result(sums.reduce(ReduceKind::Sum, v, { 0 }));
    const Program reduced = std::move(sums).finish();
    const kernels::Array numbers = drawn(DType::F32, { 8, 1024 }, 1, random);
    double magnitude = 0;
    for (std::int64_t i = 0; i < numbers.count(); ++i)
        magnitude += std::fabs(kernels::numberAt(numbers, i));
    const auto total = roundedResult(reduced, reduced.operations[0], kernels::Arrays{ numbers }, 8);
    const double height = (8192 / 16 + 1 + 4 + 15 + 8 + 1) * 0x1p-24;
    QVERIFY(std::fabs(total->tolerances[0] / (height / (1 - height) * magnitude) - 1) < 1e-9);
    // Rows that are added up one after the other are as far as any order.
    const kernels::Array rows = drawn(DType::F32, { 8192, 3 }, 1, random);
    double column = 0;
    for (std::int64_t i = 0; i < 8192; ++i)
        column += std::fabs(kernels::numberAt(rows, 3 * i));
    const auto inTurn = roundedResult(reduced, reduced.operations[1], kernels::Arrays{ rows }, 8);
    QVERIFY(std::fabs(inTurn->tolerances[0] / (8194 * 0x1p-24 * column) - 1) < 1e-9);
    // What is no sum has no such bound.
    Builder other("other");
    const ValueId few = other.argument({ DType::F32, { 4 } }, "x", Role::Input);
    other.result(other.unary(OpKind::Exponential, few));
    other.result(other.reduce(ReduceKind::Max, few, { 0 }));
    const Program without = std::move(other).finish();
    for (const Operation& operation : without.operations)
        QVERIFY(!hasRoundingBound(without, operation));
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
    const auto program = std::make_shared<const Program>(std::move(builder).finish());
    const std::vector<std::int64_t> left{ 2147483647, 2147483647, 2147483647, -2147483647, 3 };
    const std::vector<std::int64_t> right{ 2147483647, 2147483647, 2147483646, 2147483647, 2147483647 };
    InitialValues initial;
    std::uint32_t sum = 0;
    std::uint32_t all = 1;
    for (std::size_t i = 0; i < left.size(); ++i) {
        initial.byPath["a"].push_back(static_cast<double>(left[i]));
        initial.byPath["b"].push_back(static_cast<double>(right[i]));
        sum += static_cast<std::uint32_t>(left[i]) * static_cast<std::uint32_t>(right[i]);
        all *= static_cast<std::uint32_t>(left[i]);
    }
    StepReplay replay(test::flatInFull(program), initial);
    QCOMPARE((**replay.reference(dot, 1))[0], static_cast<double>(static_cast<std::int32_t>(sum)));
    QCOMPARE((**replay.reference(product, 1))[0], static_cast<double>(static_cast<std::int32_t>(all)));
    // (-1)^odd = -1 and (-1)^even = 1, of 2^31 - 1 = -1 - 2^31 likewise up to the highest bit; 3 has the order 2^30
    // modulo 2^32, so that 3^(2^31 - 1) is its inverse.
    const std::vector<double> powers = **replay.reference(power, 1);
    QCOMPARE(powers[0], 2147483647.0);
    QCOMPARE(powers[1], 2147483647.0);
    QCOMPARE(powers[2], 1.0);
    QCOMPARE(powers[3], -2147483647.0);
    QCOMPARE(static_cast<std::uint32_t>(static_cast<std::int32_t>(powers[4])) * 3U, 1U);
}

REGISTER_TEST(TestReference)
#include "test_reference.moc"

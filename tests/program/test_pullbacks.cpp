// SPDX-License-Identifier: GPL-3.0-or-later
// The derivative of every operation that has one, against finite differences in double.
#include <QtTest>

#include <random>
#include <set>

#include "base/codes.h"
#include "program/differentiate.h"
#include "program/interpret.h"
#include "program/op_row.h"
#include "program/program_text.h"
#include "program/pullback_cases.h"
#include "random_cases.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;

namespace {

/// Empty if the gradients of a random weighted sum of the results, of random arguments, are its slopes. Notes the kinds
/// of operations in it.
std::string compareWithSlopes(const test::PullbackCase& each, std::uint32_t seed, std::set<OpKind>& used)
{
    std::mt19937 random(seed);
    const auto drawn = [&](const TensorType& type, double low, double high) {
        Array array(static_cast<std::size_t>(type.elementCount()));
        for (double& element : array)
            element = std::uniform_real_distribution<double>(low, high)(random);
        return array;
    };
    Builder b("case");
    std::vector<ValueId> inputs;
    std::vector<Array> arguments;
    for (const TensorType& type : each.types) {
        inputs.push_back(b.argument(type, "a" + std::to_string(inputs.size()), Role::Parameter));
        arguments.push_back(drawn(type, each.low, each.high));
    }
    ValueId loss;
    for (const ValueId result : each.make(b, inputs, random)) {
        const TensorType type = b.type(result);
        if (!isFloat(type.dtype))
            continue;
        Dimensions all;
        for (std::size_t d = 0; d < type.rank(); ++d)
            all.push_back(static_cast<std::int64_t>(d));
        const ValueId weighted = b.binary(OpKind::Multiply, result, b.constant(type, drawn(type, -1, 1)));
        const ValueId sum = b.reduce(ReduceKind::Sum, weighted, all);
        loss = loss.valid() ? b.binary(OpKind::Add, loss, sum) : sum;
    }
    const auto gradients = differentiate(b, loss, inputs);
    if (!gradients)
        return "no derivative";
    const Program program = std::move(b).finish();
    if (!verify(program).empty())
        return "illegal\n" + print(program);
    for (const Operation& operation : program.operations)
        if (!isBackward(program.scopes[operation.scope]))
            used.insert(operation.kind);
    const std::vector<Array> values = test::interpret(program, arguments);
    for (std::size_t a = 0; a < inputs.size(); ++a) {
        const ValueId gradient = (*gradients)[a];
        if (program.value(gradient).type != program.value(inputs[a]).type)
            return "the gradient is " + toString(program.value(gradient).type);
        for (std::size_t element = 0; element < arguments[a].size(); ++element) {
            constexpr double h = 1e-6;
            const auto lossAt = [&](double by) {
                std::vector<Array> moved = arguments;
                moved[a][element] += by;
                return test::interpret(program, moved)[loss.index][0];
            };
            const double slope = (lossAt(h) - lossAt(-h)) / (2 * h), found = values[gradient.index][element];
            if (!(std::abs(found - slope) < 1e-5 * (1 + std::abs(slope))))
                return "argument " + std::to_string(a) + ", element " + std::to_string(element) + ": "
                    + std::to_string(found) + ", but the slope is " + std::to_string(slope) + '\n' + print(program);
        }
    }
    return {};
}

} // namespace

class TestPullbacks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOperationAgreesWithFiniteDifferences()
    {
        std::set<OpKind> used;
        for (const test::PullbackCase& each : test::PullbackCases().list)
            for (std::uint32_t seed = 0; seed < test::randomCases(4U); ++seed) {
                const std::string wrong = compareWithSlopes(each, seed, used);
                QVERIFY2(wrong.empty(), (each.name + ", seed " + std::to_string(seed) + ": " + wrong).c_str());
            }
        for (std::size_t i = 0; i < opKindCount; ++i)
            if (opRow(static_cast<OpKind>(i)).pullback)
                QVERIFY2(used.count(static_cast<OpKind>(i)), opRow(static_cast<OpKind>(i)).name.data());
    }

    void someOfAKindHaveNone()
    {
        Builder b("none");
        const ValueId x = b.argument(test::doubles({ 4 }), "x", Role::Parameter);
        const ValueId indices = b.constant({ DType::I32, { 2 } }, std::vector<double>{ 0, 3 });
        const ScatterAttributes rows{ {}, { 0 }, {}, {}, { 0 }, 1 };
        const ValueId updates = b.constant(test::doubles({ 2 }), 1);
        // The larger number of two wins: which one, the row does not say.
        const ValueId largest = b.scatter(ReduceKind::Max, x, indices, updates, rows);
        WindowAttributes spread{ { 2 }, {}, {}, { 2 }, {} };
        const ValueId apart = b.reduceWindow(ReduceKind::Max, x, spread);
        for (const ValueId value : { largest, apart }) {
            const auto refused = differentiate(b, b.reduce(ReduceKind::Sum, value, { 0 }), std::array{ x });
            QVERIFY(!refused && refused.error().code == Code::InvalidOperand);
            QCOMPARE(b.scope(), std::string());
        }
    }
};

REGISTER_TEST(TestPullbacks)
#include "test_pullbacks.moc"

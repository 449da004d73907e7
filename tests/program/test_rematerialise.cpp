// SPDX-License-Identifier: GPL-3.0-or-later
// What a backward pass computes again: the same numbers, from no more than what each policy keeps.
#include <QtTest>

#include <algorithm>
#include <map>
#include <random>

#include "base/codes.h"
#include "program/differentiate.h"
#include "program/interpret.h"
#include "program/op_row.h"
#include "program/scan.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;

namespace {

constexpr std::int64_t layerCount = 3;

TensorType doublesOf(Shape shape)
{
    return { DType::F64, std::move(shape) };
}

/// Three layers u = tanh(x W), p = sin(u·u) u / 2 row by row, x += p V, and the loss sum(x x). Each layer is a region.
struct LayeredProgram {
    Builder builder{ "layers" };
    std::vector<ValueId> wrt, gradients;
    std::vector<RematRegion> regions;
    std::vector<std::int32_t> regionOf; ///< per operation of the forward pass
    std::size_t forward = 0; ///< operations of the forward pass

    explicit LayeredProgram(RematPolicy policy)
    {
        Builder& b = builder;
        ValueId x = b.argument(doublesOf({ 4, 3 }), "x", Role::Input);
        wrt.push_back(x);
        for (std::int64_t i = 0; i < layerCount; ++i)
            for (const char* name : { "W", "V" })
                wrt.push_back(b.argument(doublesOf({ 3, 3 }), name + std::to_string(i), Role::Parameter));
        for (std::int64_t i = 0; i < layerCount; ++i) {
            b.setScope("layers." + std::to_string(i));
            const std::size_t first = b.program().main().operations.size();
            const auto place = static_cast<std::size_t>(2 * i + 1);
            const ValueId u = b.named(b.unary(OpKind::Tanh, b.dot(x, wrt[place])), "u" + std::to_string(i),
                Role::Activation, { "batch", "embed" });
            // A product with a batch dimension.
            const ValueId rows = b.reshape(u, { 4, 1, 3 }), columns = b.reshape(u, { 4, 3, 1 });
            const ValueId squares = b.dotGeneral(rows, columns, { { 0 }, { 0 }, { 2 }, { 1 } });
            const ValueId scale = b.unary(OpKind::Sine, b.broadcast(b.reshape(squares, { 4 }), { 4, 3 }, { 0 }));
            const ValueId half = b.constant(doublesOf({ 4, 3 }), 0.5);
            const ValueId p = b.binary(OpKind::Multiply, scale, b.binary(OpKind::Multiply, u, half));
            x = b.binary(OpKind::Add, x, b.dot(p, wrt[place + 1]));
            regions.push_back({ first, b.program().main().operations.size(), policy });
        }
        b.setScope("loss");
        const ValueId loss = b.reduce(ReduceKind::Sum, b.binary(OpKind::Multiply, x, x), { 0, 1 });
        forward = b.program().operations.size();
        regionOf = regionsOf(b.program(), regions);
        gradients = differentiate(b, loss, wrt, { .keeps = {}, .regions = regions }).value();
        for (const ValueId gradient : gradients)
            b.result(gradient);
    }

    [[nodiscard]] const Program& program() const { return builder.program(); }
    /// Of the backward pass, in the order of main.
    [[nodiscard]] std::vector<Operation> backward() const
    {
        std::vector<Operation> operations;
        for (const OperationId id : program().main().operations)
            if (id.index >= forward)
                operations.push_back(program().operation(id));
        return operations;
    }
    [[nodiscard]] int count(OpKind kind) const
    {
        const std::vector<Operation> all = backward();
        return static_cast<int>(
            std::count_if(all.begin(), all.end(), [&](const Operation& operation) { return operation.kind == kind; }));
    }
    /// What makes a value of the forward pass; null for an argument and for what the backward pass makes.
    [[nodiscard]] const Operation* makerInForward(ValueId value) const
    {
        const OperationId definition = program().value(value).definition;
        return definition.valid() && definition.index < forward ? &program().operation(definition) : nullptr;
    }
    [[nodiscard]] bool isOfForward(ValueId value) const
    {
        return !program().value(value).definition.valid() || makerInForward(value);
    }
};

std::vector<Array> drawn(const Program& program)
{
    std::mt19937 random(5);
    std::normal_distribution<double> normal(0, 0.7);
    std::vector<Array> arguments;
    for (const ValueId argument : program.main().arguments) {
        Array& array = arguments.emplace_back(static_cast<std::size_t>(program.value(argument).type.elementCount()));
        for (double& element : array)
            element = normal(random);
    }
    return arguments;
}

std::vector<Array> resultsOf(const Program& program)
{
    const std::vector<Array> values = test::interpret(program, drawn(program));
    std::vector<Array> results;
    for (const ValueId result : program.main().results)
        results.push_back(values[result.index]);
    return results;
}

} // namespace

Q_DECLARE_METATYPE(shardscope::RematPolicy)

class TestRematerialise : public QObject {
    Q_OBJECT

    static void policies()
    {
        QTest::addColumn<RematPolicy>("policy");
        QTest::newRow("full") << RematPolicy::Full;
        QTest::newRow("dots") << RematPolicy::Dots;
        QTest::newRow("gathered") << RematPolicy::Gathered;
    }

private Q_SLOTS:
    void sameNumbers_data() { policies(); }

    /// Bit for bit: the same operations in the same order.
    void sameNumbers()
    {
        QFETCH(RematPolicy, policy);
        const LayeredProgram plain(RematPolicy::None), again(policy);
        QVERIFY(verify(again.program()).empty());
        QCOMPARE(plain.count(OpKind::OptimizationBarrier), 0);
        QCOMPARE(resultsOf(again.program()), resultsOf(plain.program()));
    }

    void onlyWhatIsKept_data() { policies(); }

    /// The backward pass of a layer reads the forward pass through barriers alone, each value behind one per layer, and
    /// behind them stands what the policy keeps. What is computed again belongs to the backward pass.
    void onlyWhatIsKept()
    {
        QFETCH(RematPolicy, policy);
        const LayeredProgram made(policy);
        std::map<std::pair<std::string, ValueId>, int> barriers; // by scope of the layer
        for (const Operation& operation : made.backward()) {
            const std::string& scope = made.program().scopes[operation.scope];
            QVERIFY2(isBackward(scope), scope.c_str());
            if (scope == "backward/loss")
                continue;
            for (const ValueId operand : operation.operands) {
                if (!made.isOfForward(operand))
                    continue;
                QCOMPARE(operation.kind, OpKind::OptimizationBarrier);
                QCOMPARE(++barriers[std::pair(scope, operand)], 1);
                const Operation* maker = made.makerInForward(operand);
                if (!maker || policy == RematPolicy::Gathered)
                    continue;
                const auto region = made.regionOf[made.program().value(operand).definition.index];
                const bool isOwn = scope == "backward/layers." + std::to_string(region);
                const auto* product = std::get_if<DotGeneralAttributes>(&maker->attributes);
                QVERIFY(!isOwn || (policy == RematPolicy::Dots && product && product->lhsBatch.empty()));
            }
        }
        QVERIFY(!barriers.empty());
    }

    /// What derivatives read of a layer comes from x W, its tanh, u·u and its sine, but not from p V. With the results
    /// of parameters' products at hand, only u·u is multiplied again.
    void onlyWhatIsNeeded()
    {
        const auto added = [](RematPolicy policy, OpKind kind) {
            return LayeredProgram(policy).count(kind) - LayeredProgram(RematPolicy::None).count(kind);
        };
        constexpr int layers = layerCount;
        QCOMPARE(added(RematPolicy::Full, OpKind::Tanh), layers);
        QCOMPARE(added(RematPolicy::Full, OpKind::Sine), layers);
        QCOMPARE(added(RematPolicy::Full, OpKind::DotGeneral), 2 * layers);
        QCOMPARE(added(RematPolicy::Dots, OpKind::Tanh), layers);
        QCOMPARE(added(RematPolicy::Dots, OpKind::DotGeneral), layers);
        for (const OpKind kind : { OpKind::Tanh, OpKind::Sine, OpKind::DotGeneral })
            QCOMPARE(added(RematPolicy::Gathered, kind), 0);
    }

    /// Copies are like their originals but for the path, which stays with these.
    void copiesHaveNoPath()
    {
        const LayeredProgram made(RematPolicy::Full);
        const Program& program = made.program();
        int copies = 0;
        for (const Operation& operation : made.backward()) {
            const Value& value = program.value(operation.results[0]);
            QVERIFY(value.path.empty());
            if (operation.kind != OpKind::Tanh)
                continue;
            ++copies;
            QCOMPARE(value.role, Role::Activation);
            QCOMPARE(std::vector<std::string>(value.dimNames), (std::vector<std::string>{ "batch", "embed" }));
        }
        QCOMPARE(copies, static_cast<int>(layerCount));
        QCOMPARE(program.value(program.find("u1")).definition.index < made.forward, true);
    }

    void loops_data() { policies(); }

    /// A region with a loop in it, and the policy for its trips.
    void loops()
    {
        QFETCH(RematPolicy, policy);
        const auto built = [](RematPolicy of) {
            Builder b("loop");
            const ValueId x = b.argument(doublesOf({ 2, 3 }), "x", Role::Input);
            const ValueId w = b.argument(doublesOf({ 4, 3, 3 }), "w", Role::Parameter);
            const std::size_t first = b.program().main().operations.size();
            const ValueId begin = b.unary(OpKind::Sine, x);
            const Scanned made = scan(b, 4, std::array{ begin }, std::array{ w }, [](Builder& in, const Trip& trip) {
                const ValueId next = in.unary(OpKind::Tanh, in.dot(trip.carried[0], trip.inputs[0]));
                return TripResults{ { next }, {} };
            });
            const ValueId end = b.binary(OpKind::Multiply, made.carried[0], made.carried[0]);
            const RematRegion region{ first, b.program().main().operations.size(), of };
            const ValueId loss = b.reduce(ReduceKind::Sum, end, { 0, 1 });
            const std::vector<ValueId> gradients =
                differentiate(b, loss, std::array{ x, w }, { .keeps = keptOfLoops(of), .regions = { region } }).value();
            for (const ValueId gradient : gradients)
                b.result(gradient);
            return std::move(b).finish();
        };
        const Program plain = built(RematPolicy::None), again = built(policy);
        QVERIFY(verify(again).empty());
        QCOMPARE(resultsOf(again), resultsOf(plain));
        const auto loops = [](const Program& program) {
            return std::count_if(program.main().operations.begin(), program.main().operations.end(),
                [&](OperationId id) { return program.operation(id).kind == OpKind::While; });
        };
        QCOMPARE(loops(plain), 2);
        QCOMPARE(loops(again), policy == RematPolicy::Gathered ? 2 : 3);
    }

    /// From a cotangent: as of the sum of the products with it.
    void fromCotangent()
    {
        Builder b("cotangent");
        const ValueId x = b.argument(doublesOf({ 2, 3 }), "x", Role::Input);
        const ValueId w = b.argument(doublesOf({ 3, 2 }), "w", Role::Parameter);
        const ValueId c = b.argument(doublesOf({ 2, 2 }), "c", Role::Input);
        const std::size_t first = b.program().main().operations.size();
        const ValueId y = b.unary(OpKind::Tanh, b.dot(x, w));
        const RematRegion region{ first, b.program().main().operations.size(), RematPolicy::Full };
        const ValueId loss = b.reduce(ReduceKind::Sum, b.binary(OpKind::Multiply, y, c), { 0, 1 });
        const std::vector<ValueId> wrt{ x, w, c, y };
        const std::size_t forward = b.program().operations.size();
        const std::vector<ValueId> found =
            differentiateFrom(b, y, c, std::array{ x, w, y }, { .keeps = {}, .regions = { region } }).value();
        for (std::size_t i = forward; i < b.program().operations.size(); ++i)
            for (const ValueId operand : b.program().operations[i].operands)
                QVERIFY(b.program().operations[i].kind != OpKind::OptimizationBarrier || operand != c);
        const std::vector<ValueId> expected = differentiate(b, loss, std::array{ x, w }).value();
        QCOMPARE(found[2], c);
        b.result(found[0]);
        b.result(found[1]);
        b.result(expected[0]);
        b.result(expected[1]);
        const Program program = std::move(b).finish();
        QVERIFY(verify(program).empty());
        const std::vector<Array> results = resultsOf(program);
        QCOMPARE(results[0], results[2]);
        QCOMPARE(results[1], results[3]);
    }

    void refused()
    {
        Builder b("refused");
        const ValueId x = b.argument(doublesOf({ 2, 3 }), "x", Role::Input);
        const ValueId numbers = b.argument({ DType::I32, { 2, 3 } }, "numbers", Role::Input);
        const ValueId y = b.unary(OpKind::Sine, x);
        for (const auto& [of, cotangent] : { std::pair{ y, numbers }, { numbers, numbers } }) {
            const auto gradients = differentiateFrom(b, of, cotangent, std::array{ x });
            QVERIFY(!gradients);
            QCOMPARE(gradients.error().code, Code::InvalidOperand);
        }
    }
};

REGISTER_TEST(TestRematerialise)
#include "test_rematerialise.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Loops that count: what they make, and their gradients, are those of the same trips written out.
#include <QtTest>

#include <random>

#include "base/codes.h"
#include "program/counted_loop.h"
#include "program/differentiate.h"
#include "program/interpret.h"
#include "program/program_text.h"
#include "program/pullback_cases.h"
#include "program/scan.h"
#include "random_cases.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;
using test::doubles;

namespace {

using Values = std::vector<ValueId>;

/// A scan, or its trips one after the other.
struct Repeat {
    bool unrolled = false;

    Scanned operator()(
        Builder& b, std::int64_t trips, const Values& initial, const Values& stacked, const TripBody& body) const
    {
        if (!unrolled)
            return scan(b, trips, initial, stacked, body);
        Scanned done{ initial, {}, {} };
        std::vector<Values> outputs;
        for (std::int64_t i = 0; i < trips; ++i) {
            Values inputs;
            for (const ValueId stack : stacked) {
                const TensorType type = b.type(stack);
                Dimensions starts(type.rank(), 0), limits(type.shape.begin(), type.shape.end());
                starts[0] = i;
                limits[0] = i + 1;
                inputs.push_back(
                    b.reshape(b.slice(stack, starts, limits), Shape(type.shape.begin() + 1, type.shape.end())));
            }
            const ValueId index = b.constant({ DType::I32, {} }, static_cast<double>(i));
            TripResults made = body(b, { index, done.carried, inputs });
            done.carried = made.carried;
            outputs.resize(made.outputs.size());
            for (std::size_t k = 0; k < outputs.size(); ++k) {
                const TensorType type = b.type(made.outputs[k]);
                Shape shape{ 1 };
                for (const std::int64_t size : type.shape)
                    shape.push_back(size);
                outputs[k].push_back(b.reshape(made.outputs[k], shape));
            }
        }
        for (const Values& output : outputs)
            done.stacked.push_back(b.concatenate(output, 0));
        return done;
    }
};

/// What is to be differentiated: values that the loss sums the sines of.
struct Repeated {
    std::vector<TensorType> types;
    std::function<Values(Builder&, const Values&, const Repeat&)> make;
};

struct Built {
    Program program;
    ValueId loss;
    Values gradients;
};

ValueId sumOf(Builder& b, ValueId value)
{
    Dimensions all;
    for (std::size_t d = 0; d < b.type(value).rank(); ++d)
        all.push_back(static_cast<std::int64_t>(d));
    return b.reduce(ReduceKind::Sum, value, all);
}

Built build(const Repeated& function, bool unrolled, const DifferentiateOptions& options)
{
    Builder b("function");
    Values inputs;
    for (const TensorType& type : function.types)
        inputs.push_back(b.argument(type, "a" + std::to_string(inputs.size()), Role::Parameter));
    ValueId loss = b.constant(doubles({}), 0);
    for (const ValueId result : function.make(b, inputs, Repeat{ unrolled }))
        loss = b.binary(OpKind::Add, loss, sumOf(b, b.unary(OpKind::Sine, result)));
    Values gradients = differentiate(b, loss, inputs, options).value();
    return { std::move(b).finish(), loss, std::move(gradients) };
}

const auto keepNothing = [](const Program&, ValueId) { return false; };
const auto keepProducts = [](const Program& program, ValueId value) {
    return program.operation(program.value(value).definition).kind == OpKind::DotGeneral;
};

/// Empty if loss and gradients are those of the unrolled form, whatever is kept for the way back.
std::string compareWithUnrolled(const Repeated& function, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<Array> arguments;
    for (const TensorType& type : function.types) {
        Array& array = arguments.emplace_back(static_cast<std::size_t>(type.elementCount()));
        for (double& element : array)
            element = std::uniform_real_distribution<double>(-1, 1)(random);
    }
    const Built expected = build(function, true, {});
    const std::vector<Array> wanted = test::interpret(expected.program, arguments);
    const auto differ = [](const Array& a, const Array& b) {
        if (a.size() != b.size())
            return true;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(std::abs(a[i] - b[i]) <= 1e-10 * (1 + std::abs(b[i]))))
                return true;
        return false;
    };
    for (const DifferentiateOptions& options :
        { DifferentiateOptions{}, DifferentiateOptions{ keepNothing }, DifferentiateOptions{ keepProducts } }) {
        const Built found = build(function, false, options);
        if (const auto wrong = verify(found.program); !wrong.empty())
            return wrong.front().text("detail") + '\n' + print(found.program);
        const std::vector<Array> values = test::interpret(found.program, arguments);
        if (differ(values[found.loss.index], wanted[expected.loss.index]))
            return "another loss\n" + print(found.program);
        for (std::size_t i = 0; i < arguments.size(); ++i)
            if (differ(values[found.gradients[i].index], wanted[expected.gradients[i].index]))
                return "another gradient of argument " + std::to_string(i) + '\n' + print(found.program);
    }
    return {};
}

/// h = tanh(h W_i + v); every h, and a number of each trip.
Repeated network()
{
    return { { doubles({ 2, 3 }), doubles({ 4, 3, 3 }), doubles({ 3 }) },
        [](Builder& b, const Values& a, const Repeat& repeat) {
            const Scanned done = repeat(b, 4, { a[0] }, { a[1] }, [v = a[2]](Builder& in, const Trip& trip) {
                const ValueId product = in.dot(trip.carried[0], trip.inputs[0]);
                const ValueId h =
                    in.unary(OpKind::Tanh, in.binary(OpKind::Add, product, in.broadcast(v, { 2, 3 }, { 1 })));
                return TripResults{ { h }, { h, sumOf(in, in.binary(OpKind::Multiply, h, product)) } };
            });
            return Values{ done.carried[0], done.stacked[0], done.stacked[1] };
        } };
}

/// Two carried values that change places, one that stays, and the number of the trip.
Repeated places()
{
    return { { doubles({ 3 }), doubles({ 3 }), doubles({ 3 }) }, [](Builder& b, const Values& a, const Repeat& repeat) {
                const Scanned done = repeat(b, 5, { a[0], a[1], a[2] }, {}, [](Builder& in, const Trip& trip) {
                    const ValueId number = in.broadcastScalar(in.convert(trip.index, DType::F64), { 3 });
                    const ValueId first = in.binary(OpKind::Add, number, trip.carried[2]);
                    const ValueId product = in.binary(OpKind::Multiply, in.unary(OpKind::Sine, trip.carried[1]), first);
                    return TripResults{
                        { trip.carried[1], in.binary(OpKind::Add, product, trip.carried[0]), trip.carried[2] }, {}
                    };
                });
                return done.carried;
            } };
}

/// An integer that each trip changes says what is read of a table that stands around the loop.
Repeated table()
{
    return { { doubles({ 8, 2 }), doubles({ 2 }) }, [](Builder& b, const Values& a, const Repeat& repeat) {
                const TensorType integer{ DType::I32, {} };
                const ValueId begin = b.constant(integer, 7);
                const Scanned done = repeat(b, 3, { begin, a[1] }, {}, [&, rows = a[0]](Builder& in, const Trip& trip) {
                    const ValueId zero = in.constant(integer, 0);
                    const ValueId row = in.dynamicSlice(rows, std::array{ trip.carried[0], zero }, { 1, 2 });
                    const ValueId scaled = in.binary(
                        OpKind::Multiply, in.reshape(row, { 2 }), in.unary(OpKind::Exponential, trip.carried[1]));
                    const ValueId next = in.binary(OpKind::Subtract, trip.carried[0], in.constant(integer, 2));
                    return TripResults{ { next, in.unary(OpKind::Tanh, scaled) }, {} };
                });
                return Values{ done.carried[1] };
            } };
}

/// A loop in each trip of a loop, which uses what the outer one carries and what stands around both.
Repeated nested()
{
    return { { doubles({ 2, 2 }), doubles({ 3, 2, 2 }), doubles({ 2, 2, 2 }) },
        [](Builder& b, const Values& a, const Repeat& repeat) {
            const Scanned done =
                repeat(b, 3, { a[0] }, { a[1] }, [&repeat, inner = a[2]](Builder& in, const Trip& layer) {
                    const Scanned made = repeat(
                        in, 2, { layer.carried[0] }, { inner }, [w = layer.inputs[0]](Builder& deep, const Trip& trip) {
                            const ValueId product = deep.dot(trip.carried[0], deep.dot(w, trip.inputs[0]));
                            return TripResults{ { deep.unary(OpKind::Tanh, product) },
                                { deep.unary(OpKind::Exponential, product) } };
                        });
                    return TripResults{ { in.binary(OpKind::Multiply, made.carried[0],
                                            in.reduce(ReduceKind::Sum, made.stacked[0], { 0 })) },
                        {} };
                });
            return done.carried;
        } };
}

} // namespace

class TestScan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gradientsAreThoseOfTheTripsWrittenOut()
    {
        const std::vector<std::pair<const char*, Repeated>> functions{ { "network", network() }, { "places", places() },
            { "table", table() }, { "nested", nested() } };
        for (const auto& [name, function] : functions)
            for (std::uint32_t seed = 0; seed < test::randomCases(3U); ++seed) {
                const std::string wrong = compareWithUnrolled(function, seed);
                QVERIFY2(wrong.empty(), (std::string(name) + ": " + wrong).c_str());
            }
    }

    /// A counter, what is carried, the stacked output, then what never changes; as JAX prints it.
    void carriesWhatJaxCarries()
    {
        Builder b("scan");
        const ValueId x = b.argument(doubles({ 2, 3 }), "x", Role::Input);
        const ValueId w = b.argument(doubles({ 4, 3, 3 }), "w", Role::Parameter);
        b.setScope("layers");
        const Scanned done = scan(b, 4, std::array{ x }, std::array{ w }, [](Builder& in, const Trip& trip) {
            in.setScope("layers/dot");
            const ValueId y = in.dot(trip.carried[0], trip.inputs[0]);
            return TripResults{ { y }, { y } };
        });
        QCOMPARE(b.scope(), std::string("layers"));
        const Operation loop = b.program().operation(done.loop);
        QVERIFY(loop.kind == OpKind::While);
        std::vector<std::string> types;
        for (const ValueId result : loop.results)
            types.push_back(toString(b.type(result)));
        QCOMPARE(types,
            (std::vector<std::string>{ "tensor<i32>", "tensor<2x3xf64>", "tensor<4x2x3xf64>", "tensor<4x3x3xf64>" }));
        QCOMPARE(loop.operands[1], x);
        QCOMPARE(loop.operands[3], w);
        QCOMPARE(done.carried[0], loop.results[1]);
        QCOMPARE(done.stacked[0], loop.results[2]);
        QCOMPARE(tripsOf(b.program(), done.loop).value_or(0), std::int64_t{ 4 });
        QVERIFY(verify(b.program()).empty());
    }

    /// The way back is a loop of as many trips under "backward/", which carries the sum of every gradient. What is not
    /// kept is made again: the loop then leaves what each trip begins with, and nothing else.
    void whatIsKept()
    {
        for (const bool keeps : { true, false }) {
            Builder b("scan");
            const ValueId x = b.argument(doubles({ 2, 3 }), "x", Role::Input);
            const ValueId w = b.argument(doubles({ 4, 3, 3 }), "w", Role::Parameter);
            b.setScope("layers");
            const Scanned done = scan(b, 4, std::array{ x }, std::array{ w }, [](Builder& in, const Trip& trip) {
                const ValueId product = in.dot(trip.carried[0], trip.inputs[0]);
                return TripResults{ { in.unary(OpKind::Tanh, in.unary(OpKind::Sine, product)) }, {} };
            });
            const ValueId loss = sumOf(b, done.carried[0]);
            DifferentiateOptions options;
            if (!keeps)
                options.keeps = keepNothing;
            const std::size_t before = b.program().operations.size();
            const Values gradients = differentiate(b, loss, std::array{ w }, options).value();
            const Program p = std::move(b).finish();
            QVERIFY(verify(p).empty());
            // i, h, w; then h of every trip, and with that the product and what tanh made.
            const Operation& forward = p.operation(done.loop);
            QCOMPARE(forward.results.size(), std::size_t(keeps ? 6 : 4));
            for (std::size_t i = 3; i < forward.results.size(); ++i)
                QCOMPARE(toString(p.value(forward.results[i]).type), std::string("tensor<4x2x3xf64>"));
            const OperationId way = p.value(gradients[0]).definition;
            QVERIFY(p.operation(way).kind == OpKind::While);
            QCOMPARE(p.scopes[p.operation(way).scope], std::string("backward/layers"));
            QCOMPARE(tripsOf(p, way).value_or(0), std::int64_t{ 4 });
            // i, the cotangents of h and w; then w and what the loop left.
            QCOMPARE(p.operation(way).results.size(), std::size_t(keeps ? 7 : 5));
            std::size_t again = 0;
            for (std::size_t i = before; i < p.operations.size(); ++i)
                again += p.operations[i].kind == OpKind::Tanh ? 1U : 0U;
            QCOMPARE(again, std::size_t(keeps ? 0 : 1));
        }
    }

    /// Loops that others wrote: counters that begin elsewhere and take other steps, and values from around the loop.
    void otherLoopsThatCount()
    {
        const TensorType integer{ DType::I64, {} };
        Builder b("loop");
        const ValueId x = b.argument(doubles({}), "x", Role::Parameter);
        const ValueId y = b.argument(doubles({}), "y", Role::Parameter);
        const Values results = b.loop(
            std::array{ x, b.constant(integer, 9) },
            [&](Builder& in, std::span<const ValueId> a) {
                return Values{ in.compare(Comparison::GreaterEqual, a[1], in.constant(integer, 3)) };
            },
            [&](Builder& in, std::span<const ValueId> a) {
                const ValueId next = in.binary(OpKind::Subtract, a[1], in.constant(integer, 2));
                const ValueId scaled = in.binary(OpKind::Multiply, in.convert(a[1], DType::F64), y);
                return Values{ in.binary(OpKind::Multiply, a[0], scaled), next };
            });
        const auto gradients = differentiate(b, results[0], std::array{ x, y }).value();
        const Program p = std::move(b).finish();
        QVERIFY2(verify(p).empty(), print(p).c_str());
        // x (9 y)(7 y)(5 y)(3 y) = 945 x y^4
        const std::vector<Array> values = test::interpret(p, { { 2 }, { 3 } });
        QCOMPARE(values[results[0].index], (Array{ 945 * 2 * 81 }));
        QCOMPARE(values[gradients[0].index], (Array{ 945 * 81 }));
        QCOMPARE(values[gradients[1].index], (Array{ 945 * 2 * 4 * 27 }));
    }

    void noTripsAndUnknownTrips()
    {
        const TensorType integer{ DType::I32, {} };
        for (const bool known : { true, false }) {
            Builder b("loop");
            const ValueId x = b.argument(doubles({}), "x", Role::Parameter);
            const ValueId bound = known ? b.constant(integer, 0) : b.argument(integer, "n", Role::Input);
            const Values results = b.loop(
                std::array{ b.constant(integer, 0), x },
                [&](Builder& in, std::span<const ValueId> a) {
                    return Values{ in.compare(Comparison::Less, a[0], bound) };
                },
                [&](Builder& in, std::span<const ValueId> a) {
                    return Values{ in.binary(OpKind::Add, a[0], in.constant(integer, 1)),
                        in.unary(OpKind::Sine, a[1]) };
                });
            const ValueId loss = b.binary(OpKind::Multiply, results[1], results[1]);
            const auto gradients = differentiate(b, loss, std::array{ x });
            QCOMPARE(gradients.has_value(), known);
            if (!known) {
                QVERIFY(gradients.error().code == Code::InvalidOperand);
                continue;
            }
            const Program p = std::move(b).finish();
            QCOMPARE(test::interpret(p, { { 3 } })[(*gradients)[0].index], (Array{ 6 }));
        }
    }
};

REGISTER_TEST(TestScan)
#include "test_scan.moc"

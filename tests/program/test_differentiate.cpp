// SPDX-License-Identifier: GPL-3.0-or-later
// Derivatives against finite differences in double, and by hand where a function has a corner.
#include <QtTest>

#include <random>
#include <set>

#include "base/codes.h"
#include "program/differentiate.h"
#include "program/interpret.h"
#include "program/op_row.h"
#include "program/program_text.h"
#include "random_cases.h"
#include "registered_test.h"

using namespace shardscope;
using test::Array;

namespace {

TensorType f64(Shape shape)
{
    return { DType::F64, std::move(shape) };
}

/// Grows a random program over two matrices and two vectors that uses every operation with a derivative.
class RandomProgram {
public:
    explicit RandomProgram(std::uint32_t seed)
        : m_random(seed)
    {
        const std::vector<Shape> shapes{ { 2, 3 }, { 3, 2 }, { 3 }, { 2, 3, 2 } };
        for (const Shape& shape : shapes) {
            m_pool.push_back(m_builder.argument(f64(shape), "a" + std::to_string(m_pool.size()), Role::Parameter));
            Array array(static_cast<std::size_t>(f64(shape).elementCount()));
            for (double& element : array)
                element = std::normal_distribution<double>(0, 1)(m_random);
            arguments.push_back(std::move(array));
        }
        wrt = m_pool;
        for (int i = 0; i < 25; ++i)
            m_pool.push_back(bounded(grow()));
        ValueId loss = sum(m_pool[0]);
        for (std::size_t i = 1; i < m_pool.size(); ++i)
            loss = binary(OpKind::Add, loss, sum(binary(OpKind::Multiply, m_pool[i], m_pool[i])));
        gradients = differentiate(m_builder, loss, wrt).value();
        m_builder.result(loss);
        program = std::move(m_builder).finish();
    }

    Program program;
    std::vector<Array> arguments;
    std::vector<ValueId> wrt, gradients;

    [[nodiscard]] double loss() const
    {
        return test::interpret(program, arguments)[program.main().results[0].index][0];
    }

private:
    std::size_t pick(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(m_random); }
    ValueId any() { return m_pool[pick(m_pool.size())]; }
    [[nodiscard]] const Shape& shape(ValueId v) const { return m_builder.type(v).shape; }
    ValueId splat(ValueId like, double number) { return m_builder.constant(f64(Shape(shape(like))), number); }
    ValueId binary(OpKind kind, ValueId a, ValueId b) { return m_builder.binary(kind, a, b); }
    ValueId sum(ValueId v) { return m_builder.reduce(ReduceKind::Sum, v, all(shape(v).size())); }
    /// Something of the shape of `like`.
    ValueId partner(ValueId like)
    {
        for (int tries = 0; tries < 20; ++tries)
            if (const ValueId v = any(); shape(v) == shape(like) && v != like)
                return v;
        return m_builder.unary(OpKind::Sine, like);
    }
    ValueId positive(ValueId v) { return binary(OpKind::Add, binary(OpKind::Multiply, v, v), splat(v, 0.5)); }
    ValueId bounded(ValueId v) { return m_builder.unary(OpKind::Sine, v); }
    static Dimensions all(std::size_t rank)
    {
        Dimensions list;
        for (std::size_t d = 0; d < rank; ++d)
            list.push_back(static_cast<std::int64_t>(d));
        return list;
    }
    Dimensions shuffled(std::size_t rank)
    {
        Dimensions list = all(rank);
        std::shuffle(list.begin(), list.end(), m_random);
        return list;
    }

    ValueId grow()
    {
        const ValueId x = any();
        // The common operations; the others are tried one by one.
        const auto kind = static_cast<OpKind>(pick(static_cast<std::size_t>(OpKind::ShardingConstraint) + 1));
        switch (kind) {
        case OpKind::Log:
        case OpKind::Sqrt:
        case OpKind::Rsqrt:
            return m_builder.unary(kind, positive(x));
        case OpKind::Abs:
        case OpKind::Negate:
        case OpKind::Exponential:
        case OpKind::Logistic:
        case OpKind::Tanh:
        case OpKind::Sign:
        case OpKind::Sine:
        case OpKind::Cosine:
            return m_builder.unary(kind, x);
        case OpKind::Add:
        case OpKind::Subtract:
        case OpKind::Multiply:
        case OpKind::Maximum:
        case OpKind::Minimum:
            return binary(kind, x, pick(4) == 0 ? splat(x, 0.25) : partner(x));
        case OpKind::Divide:
            return binary(kind, x, positive(partner(x)));
        case OpKind::Power:
            return binary(kind, positive(x), partner(x));
        case OpKind::Compare:
        case OpKind::Select:
            return m_builder.select(m_builder.compare(Comparison::Less, x, partner(x)), x, partner(x));
        case OpKind::Clamp:
            if (pick(2) == 0)
                return m_builder.clamp(splat(x, -0.4), x, positive(partner(x)));
            return m_builder.clamp(m_builder.constant(f64({}), -0.4), x, positive(bounded(sum(partner(x)))));
        case OpKind::BroadcastInDim:
            return broadcast(x);
        case OpKind::Reshape: {
            Shape to(shape(x));
            std::reverse(to.begin(), to.end());
            to.push_back(1);
            return m_builder.reshape(x, to);
        }
        case OpKind::Transpose:
            return m_builder.transpose(x, shuffled(shape(x).size()));
        case OpKind::DotGeneral:
            return product(x, any());
        case OpKind::Reduce: {
            Dimensions dimensions = shuffled(shape(x).size());
            dimensions.resize(pick(dimensions.size() + 1));
            return m_builder.reduce(static_cast<ReduceKind>(pick(4)), x, dimensions); // sum, max, min, product
        }
        case OpKind::ShardingConstraint:
            return m_builder.constrain(x, DeviceAxes{});
        default:
            return m_builder.convert(x, DType::F64);
        }
    }

    ValueId broadcast(ValueId x)
    {
        if (shape(x).size() >= 3)
            return m_builder.broadcastScalar(sum(x), { 2, 2 });
        Dimensions targets = shuffled(shape(x).size() + 1); // somewhere, in any order, one dimension being new
        targets.pop_back();
        Shape to(shape(x).size() + 1, 2);
        for (std::size_t d = 0; d < targets.size(); ++d)
            to[std::size_t(targets[d])] = shape(x)[d] == 1 ? 3 : shape(x)[d];
        return m_builder.broadcast(x, to, targets);
    }

    /// Dimensions of equal size pair up at random: as batch, as contracting, or not at all.
    ValueId product(ValueId x, ValueId y)
    {
        DotGeneralAttributes a;
        std::set<std::int64_t> taken;
        for (const std::int64_t l : shuffled(shape(x).size()))
            for (const std::int64_t r : shuffled(shape(y).size()))
                if (shape(x)[std::size_t(l)] == shape(y)[std::size_t(r)] && !taken.count(r)) {
                    const std::size_t what = pick(3);
                    if (what < 2) {
                        (what == 0 ? a.lhsBatch : a.lhsContracting).push_back(l);
                        (what == 0 ? a.rhsBatch : a.rhsContracting).push_back(r);
                        taken.insert(r);
                    }
                    break;
                }
        const std::size_t rank = shape(x).size() + shape(y).size() - 2 * a.lhsContracting.size() - a.lhsBatch.size();
        return rank > 4 ? x : m_builder.dotGeneral(x, y, a);
    }

    std::mt19937 m_random;
    Builder m_builder{ "random" };
    std::vector<ValueId> m_pool;
};

/// Gradient of sum(weights * f(arguments)) with respect to every argument.
std::vector<Array> gradientsOf(const std::vector<TensorType>& types, const std::vector<Array>& arguments,
    const std::function<ValueId(Builder&, const std::vector<ValueId>&)>& function, const Array& weights = { 1 })
{
    Builder b("function");
    std::vector<ValueId> inputs;
    for (const TensorType& type : types)
        inputs.push_back(b.argument(type, "a" + std::to_string(inputs.size()), Role::Parameter));
    const ValueId y = function(b, inputs);
    const ValueId weighted = b.binary(OpKind::Multiply, y, b.constant(TensorType(b.type(y)), weights));
    Dimensions all;
    for (std::size_t d = 0; d < b.type(y).rank(); ++d)
        all.push_back(static_cast<std::int64_t>(d));
    const auto gradients = differentiate(b, b.reduce(ReduceKind::Sum, weighted, all), inputs).value();
    const Program program = std::move(b).finish();
    if (!verify(program).empty())
        qFatal("illegal program");
    const std::vector<Array> values = test::interpret(program, arguments);
    std::vector<Array> found;
    for (const ValueId gradient : gradients)
        found.push_back(values[gradient.index]);
    return found;
}

} // namespace

class TestDifferentiate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomProgramsAgreeWithFiniteDifferences()
    {
        std::set<OpKind> used;
        for (std::uint32_t seed = 0; seed < test::randomCases(30U); ++seed) {
            RandomProgram r(seed);
            QVERIFY2(verify(r.program).empty(), print(r.program).c_str());
            for (const Operation& operation : r.program.operations)
                if (operation.scope == 0)
                    used.insert(operation.kind);
            const std::vector<Array> values = test::interpret(r.program, r.arguments);
            for (std::size_t a = 0; a < r.wrt.size(); ++a) {
                QVERIFY(r.program.value(r.gradients[a]).type == r.program.value(r.wrt[a]).type);
                for (std::size_t e = 0; e < r.arguments[a].size(); e += 2) {
                    constexpr double h = 1e-6;
                    double& element = r.arguments[a][e];
                    const double at = element;
                    element = at + h;
                    const double above = r.loss();
                    element = at - h;
                    const double below = r.loss();
                    element = at;
                    const double expected = (above - below) / (2 * h);
                    const double found = values[r.gradients[a].index][e];
                    QVERIFY2(std::abs(found - expected) < 1e-5 * (1 + std::abs(expected)),
                        qPrintable(QString("seed %1 argument %2 element %3: %4, finite difference %5")
                                       .arg(seed)
                                       .arg(a)
                                       .arg(e)
                                       .arg(found)
                                       .arg(expected)));
                }
            }
        }
        for (std::size_t i = 0; i <= static_cast<std::size_t>(OpKind::ShardingConstraint); ++i)
            if (opRow(static_cast<OpKind>(i)).pullback && test::triesAllRandomCases())
                QVERIFY2(used.count(static_cast<OpKind>(i)), opRow(static_cast<OpKind>(i)).name.data());
    }

    void corners()
    {
        const std::vector<TensorType> one{ f64({ 3 }) }, two{ f64({ 3 }), f64({ 3 }) };
        const Array x{ -1, 0, 2 }, y{ -1, 1, 1 };
        // At a tie with a constant nothing flows, whichever operand is the constant.
        const auto relu = [](Builder& b, const std::vector<ValueId>& a) {
            return b.binary(OpKind::Maximum, a[0], b.constant(f64({ 3 }), 0));
        };
        QCOMPARE(gradientsOf(one, { x }, relu), (std::vector<Array>{ { 0, 0, 1 } }));
        const auto reversed = [](Builder& b, const std::vector<ValueId>& a) {
            return b.binary(OpKind::Minimum, b.broadcastScalar(b.constant(f64({}), 0), { 3 }), a[0]);
        };
        QCOMPARE(gradientsOf(one, { x }, reversed), (std::vector<Array>{ { 1, 0, 0 } }));
        // Two operands share a tie.
        const auto maximum = [](Builder& b, const std::vector<ValueId>& a) {
            return b.binary(OpKind::Maximum, a[0], a[1]);
        };
        QCOMPARE(gradientsOf(two, { x, y }, maximum), (std::vector<Array>{ { 0.5, 0, 1 }, { 0.5, 1, 0 } }));
        const auto clamp = [](Builder& b, const std::vector<ValueId>& a) { return b.clamp(a[1], a[0], a[2]); };
        QCOMPARE(gradientsOf({ f64({ 3 }), f64({}), f64({}) }, { { -1, 0, 2 }, { -1 }, { 1 } }, clamp),
            (std::vector<Array>{ { 0, 1, 0 }, { 0 }, { 1 } }));
        const auto power = [](Builder& b, const std::vector<ValueId>& a) {
            return b.binary(OpKind::Power, a[0], a[1]);
        };
        QCOMPARE(gradientsOf(two, { { 0, 0, 3 }, { 0, 2, 2 } }, power),
            (std::vector<Array>{ { 0, 0, 6 }, { 0, 0, 9 * std::log(3.0) } }));

        const auto reduced = [](ReduceKind kind) {
            return [kind](Builder& b, const std::vector<ValueId>& a) { return b.reduce(kind, a[0], { 0 }); };
        };
        QCOMPARE(gradientsOf(one, { { 2, 1, 2 } }, reduced(ReduceKind::Max)), (std::vector<Array>{ { 0.5, 0, 0.5 } }));
        QCOMPARE(gradientsOf(one, { { 2, 3, 4 } }, reduced(ReduceKind::Product)), (std::vector<Array>{ { 12, 8, 6 } }));
        QCOMPARE(gradientsOf(one, { { 2, 0, 4 } }, reduced(ReduceKind::Product)), (std::vector<Array>{ { 0, 8, 0 } }));
        QCOMPARE(gradientsOf(one, { { 2, 0, 0 } }, reduced(ReduceKind::Product)), (std::vector<Array>{ { 0, 0, 0 } }));
    }

    void onlyFloatingPointCarries()
    {
        const auto rounded = [](Builder& b, const std::vector<ValueId>& a) {
            return b.convert(b.convert(a[0], DType::I32), DType::F64);
        };
        QCOMPARE(gradientsOf({ f64({ 2 }) }, { { 1, 2 } }, rounded), (std::vector<Array>{ { 0, 0 } }));

        Builder b("losses");
        const ValueId vector = b.argument(f64({ 2 }), "v", Role::Input);
        const ValueId integer = b.argument({ DType::I32, {} }, "i", Role::Count);
        for (const ValueId loss : { vector, integer }) {
            const auto refused = differentiate(b, loss, std::array{ vector });
            QVERIFY(!refused && refused.error().code == Code::InvalidOperand);
        }
        QVERIFY(b.program().operations.empty());
    }

    void onlyWhatIsNeededIsBuilt()
    {
        Builder b("needed");
        const ValueId x = b.argument(f64({ 4, 3 }), "x", Role::Input);
        const ValueId w = b.argument(f64({ 3, 2 }), "w", Role::Parameter);
        const ValueId unused = b.argument(f64({ 5 }), "unused", Role::Parameter);
        b.setScope("layer");
        const ValueId h = b.constrain(b.dot(x, w), LogicalAxes{ { LogicalName::of("batch"), {} } });
        b.setScope("loss");
        const ValueId loss = b.reduce(ReduceKind::Sum, h, { 0, 1 });
        const std::size_t before = b.program().operations.size();
        const auto gradients = differentiate(b, loss, std::array{ w, unused, loss }).value();
        QCOMPARE(b.scope(), std::string("loss"));
        const Program p = std::move(b).finish();
        QVERIFY(verify(p).empty());
        // 1, spread, constrained, dW = x^T dC; then zeros for what the loss does not depend on. No dX.
        std::vector<OpKind> kinds;
        std::vector<std::string> scopes;
        for (std::size_t i = before; i < p.operations.size(); ++i) {
            kinds.push_back(p.operations[i].kind);
            scopes.push_back(p.scopes[p.operations[i].scope]);
        }
        using enum OpKind;
        QCOMPARE(kinds, (std::vector{ Constant, BroadcastInDim, ShardingConstraint, DotGeneral, Constant }));
        QCOMPARE(scopes,
            (std::vector<std::string>{
                "backward/loss", "backward/loss", "backward/layer", "backward/layer", "backward" }));
        QVERIFY(p.operations[before + 2].attributes == p.operations[1].attributes); // the same constraint
        QCOMPARE(p.value(gradients[0]).definition.index, static_cast<std::uint32_t>(before + 3));
        QVERIFY(p.value(gradients[1]).type == f64({ 5 }));
        QCOMPARE(p.value(gradients[2]).definition.index, static_cast<std::uint32_t>(before));
    }
};

REGISTER_TEST(TestDifferentiate)
#include "test_differentiate.moc"

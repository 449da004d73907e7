// SPDX-License-Identifier: GPL-3.0-or-later
// Why an axis is not there.
#include <QtTest>

#include "propagation/blocker.h"
#include "propagation/random_program.h"
#include "propagation/whole_programs.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;
using full_programs::Maker;

class TestBlockers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reasons_data();
    void reasons();
    void whatStandsInFront();
    void nothingToExplain();
    void edgesAndBarriers();
    void meshes();
    void blockedFactors();
    void operationsWithoutRule();
    void everyNeighbourIsExplained();
};

namespace {

struct Question {
    const char* text;
    const char* value;
    std::size_t dimension;
    const char* axis;
    Strategy strategy = Strategy::Full;
};

struct Answer {
    std::optional<Blocker> blocker;
    notation::Case asked;
};

Answer ask(const Question& question)
{
    Answer answer{ {}, notation::parseCase(question.text) };
    answer.asked.input.strategy = question.strategy;
    answer.blocker =
        firstBlocker(answer.asked.input, propagate(answer.asked.input), answer.asked.values.at(question.value),
            question.dimension, notation::parseAxis(*answer.asked.input.mesh, question.axis));
    return answer;
}

} // namespace

void TestBlockers::reasons_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("value"); // name, dimension, axis
    QTest::addColumn<bool>("basic");
    QTest::addColumn<int>("reason");
    QTest::addColumn<QString>("holder"); // who holds it up; "result" for the declared one
    const auto row = [](const char* name, const char* program, const char* value, bool basic, BlockReason reason,
                         const char* holder) {
        QTest::newRow(name) << QString(program) << QString(value) << basic << static_cast<int>(reason)
                            << QString(holder);
    };
    const char* sum = "\nv0 = add a0 a1\nreturn v0";
    const auto both = [&](const char* a0, const char* a1) {
        static std::deque<std::string> kept;
        kept.push_back(std::string("mesh a=2 b=2\na0 8x8 ") + a0 + "\na1 8x8 " + a1 + sum);
        return kept.back().c_str();
    };
    row("replicated", both("[{a,?},{?}]", "[{?},{?}] replicated={a}"), "a1 0 a", false, BlockReason::Replicated, "a1");
    row("unreduced", both("[{a,?},{?}]", "[{?},{?}] unreduced={a}"), "a1 0 a", false, BlockReason::Unreduced, "a1");
    row("closed", both("[{a,?},{?}]", "[{},{?}]"), "a1 0 a", false, BlockReason::Closed, "a1");
    row("closed elsewhere, basic", both("[{a,?},{?}]", "[{},{?}]"), "v0 0 a", true, BlockReason::Closed, "a1");
    row("used along another factor", both("[{a},{}]", "[{?},{a}]"), "a1 0 a", false, BlockReason::UsedByFactor, "a1");
    row("frozen", both("[{a},{?}]", "[{b},{?}]"), "v0 0 a", false, BlockReason::FrozenBy, "a1");
    row("frozen in the middle of an axis",
        "mesh a=3 b=8\na0 8 [{b}] replicated={a}\nv0 = add a0 a0\nv1 = constrain v0 : [{b:(1)2,a,b:(2)4}]\nreturn v1",
        "v0 0 b", false, BlockReason::FrozenBy, "v0");
    row("does not divide", "mesh a=3 b=3\na0 6x4 [{a,b},{}]\nv0 = reshape a0 to 24\nreturn v0", "v0 0 b", false,
        BlockReason::Divisibility, "v0");
    row("overflow", "mesh a=3\na0 8 [{a}]\nv0 = reshape a0 to 2x4\nreturn v0", "v0 0 a", false, BlockReason::Overflow,
        "a0");
    row("behind a factor that is not cut", "mesh a=2\na0 2x4 [{?},{a}]\nv0 = reshape a0 to 8\nreturn v0", "v0 0 a",
        false, BlockReason::MinorFactorNotFull, "v0");
}

void TestBlockers::reasons()
{
    QFETCH(QString, program);
    QFETCH(QString, value);
    QFETCH(bool, basic);
    QFETCH(int, reason);
    QFETCH(QString, holder);
    const QStringList words = value.split(' ');
    const std::string text = program.toStdString();
    const std::string name = words[0].toStdString();
    const std::string axis = words[2].toStdString();
    const Answer answer =
        ask({ text.c_str(), name.c_str(), words[1].toULong(), axis.c_str(), basic ? Strategy::Basic : Strategy::Full });
    QVERIFY(answer.blocker);
    QCOMPARE(static_cast<int>(answer.blocker->reason), reason);
    QCOMPARE(answer.blocker->value, answer.asked.values.at(holder.toStdString()));
    QVERIFY(answer.blocker->operation.valid());
}

void TestBlockers::whatStandsInFront()
{
    const Answer answer =
        ask({ "mesh a=2 b=2\na0 8 [{b,a}]\na1 8 [{?}] replicated={b}\nv0 = add a0 a1\nreturn v0", "a1", 0, "a" });
    QVERIFY(answer.blocker);
    QVERIFY(answer.blocker->reason == BlockReason::Replicated);
    QCOMPARE(answer.blocker->axis, notation::parseAxis(*answer.asked.input.mesh, "b"));
    QCOMPARE(answer.blocker->from, answer.asked.values.at("a0"));
    // At the declared result there is no operation.
    const Answer declared =
        ask({ "mesh a=2 b=2\na0 8 [{?}] replicated={a}\nv0 = tanh a0\nreturn a0 : [{a}]", "a0", 0, "a" });
    QVERIFY(declared.blocker);
    QVERIFY(!declared.blocker->operation.valid());
    QCOMPARE(declared.blocker->result, 0);
    QVERIFY(declared.blocker->reason == BlockReason::Replicated);
    QVERIFY(!declared.blocker->from.valid());
}

void TestBlockers::nothingToExplain()
{
    const char* program = "mesh a=2 b=2\na0 8 [{a}]\nv0 = tanh a0\na1 8 [{b}]\nv1 = tanh a1\nreturn v0\nreturn v1";
    QVERIFY(!ask({ program, "v0", 0, "a" }).blocker); // it is there
    QVERIFY(!ask({ program, "v0", 0, "b" }).blocker); // nothing connected has it
    QVERIFY(!ask({ program, "v0", 3, "b" }).blocker);
}

void TestBlockers::edgesAndBarriers()
{
    Maker m("a=2 b=2");
    const ValueId x = m.argument({ 8 }, "[{a,?}]");
    const ValueId y = m.result(m.operation(
        OpKind::PropagationBarrier, { x }, 0, otherAttributes(PropagationBarrierAttributes{ BarrierDirection::None })));
    const ValueId z = m.loop(y);
    m.returns(z);
    const PropagationInput input = m.input();
    const AxisRef a = fullAxis(*m.program.meshes[0].mesh, 0);
    // Asked at the end of the loop, answered at the barrier in front of it.
    const auto blocker = firstBlocker(input, propagate(input), z, 0, a);
    QVERIFY(blocker);
    QVERIFY(blocker->reason == BlockReason::Direction);
    QCOMPARE(blocker->operation, m.program.value(y).definition);
    QCOMPARE(blocker->from, x);
}

void TestBlockers::meshes()
{
    Maker m("a=2");
    const std::uint32_t other = m.addMesh("other", "a=4");
    const ValueId x = m.argument({ 8 }, "[{a,?}]");
    const ValueId y = m.argument({ 8 });
    m.give(y, "[{?}]", other);
    const ValueId sum = m.binary(x, y);
    m.returns(sum);
    const PropagationInput input = m.input();
    const auto blocker = firstBlocker(input, propagate(input), sum, 0, fullAxis(*m.program.meshes[0].mesh, 0));
    QVERIFY(blocker);
    QVERIFY(blocker->reason == BlockReason::MeshMismatch);
    QCOMPARE(blocker->value, y);
}

void TestBlockers::blockedFactors()
{
    Maker m("a=2");
    const ValueId x = m.argument({ 8 }, "[{a,?}]");
    const ValueId offset = m.argument({});
    const ValueId y = m.result(m.operation(
        OpKind::DynamicSlice, { x, offset }, 0, otherAttributes(DynamicSliceAttributes{ { 4 } }), { { 4 } }));
    m.returns(y);
    const PropagationInput input = m.input();
    const auto blocker = firstBlocker(input, propagate(input), y, 0, fullAxis(*m.program.meshes[0].mesh, 0));
    QVERIFY(blocker);
    QVERIFY(blocker->reason == BlockReason::Blocked);
}

/// Nothing is known of how the result of a call depends on its operand: it is the first blocker.
void TestBlockers::operationsWithoutRule()
{
    Maker m("a=2 b=2");
    const ValueId x = m.argument({ 8 }, "[{a,?}]");
    const ValueId y =
        m.result(m.operation(OpKind::Opaque, { m.unary(x) }, 0, otherAttributes(OpaqueAttributes{ "foreign.scale" })));
    const ValueId z = m.unary(y);
    m.returns(z);
    const PropagationInput input = m.input();
    const PropagationResult result = propagate(input);
    const auto blocker = firstBlocker(input, result, z, 0, fullAxis(*m.program.meshes[0].mesh, 0));
    QVERIFY(blocker);
    QVERIFY(blocker->reason == BlockReason::NoRule);
    QCOMPARE(blocker->operation, m.program.value(y).definition);
    QCOMPARE(blocker->from, m.program.operation(blocker->operation).operands[0]);
    QVERIFY(!firstBlocker(input, result, z, 0, fullAxis(*m.program.meshes[0].mesh, 1))); // nobody has it
}

void TestBlockers::everyNeighbourIsExplained()
{
    QVERIFY(test::propertyHolds(100, "an axis that an operand has and the result lacks is held up somewhere", [] {
        const PropagationInput input = random_program::anyInput();
        const PropagationResult result = propagate(input);
        for (const Operation& operation : input.program->operations) {
            if (operation.kind != OpKind::Tanh && operation.kind != OpKind::Add)
                continue;
            const TensorSharding& to = result.shardings[operation.results[0].index];
            for (const ValueId operand : operation.operands) {
                const TensorSharding& from = result.shardings[operand.index];
                for (std::size_t d = 0; d < from.rank(); ++d)
                    for (const AxisRef& axis : from.dims[d].axes) {
                        const bool has = std::any_of(to.dims[d].axes.begin(), to.dims[d].axes.end(),
                            [&](AxisRef current) { return contains(current, axis); });
                        const auto blocker = firstBlocker(input, result, operation.results[0], d, axis);
                        RC_ASSERT(has != blocker.has_value());
                        if (!blocker)
                            continue;
                        RC_ASSERT(blocker->tensor >= 0 && blocker->source >= 0 && blocker->factor >= 0);
                        RC_ASSERT((blocker->otherFactor >= 0)
                            == (blocker->reason == BlockReason::UsedByFactor
                                || blocker->reason == BlockReason::MinorFactorNotFull));
                    }
            }
        }
    }));
}

REGISTER_TEST(TestBlockers)
#include "test_blockers.moc"

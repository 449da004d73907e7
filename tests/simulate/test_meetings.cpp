// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions in an order in which devices meet seldom: what depends on what stays in its order, what does not is done
// together, and nobody can tell by the bits.
#include <QtTest>

#include <algorithm>

#include "partition/unsharded.h"
#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/meetings.h"
#include "simulate/run/phases.h"
#include "simulate/run/run.h"
#include "simulate/run/slots_used.h"
#include "simulate/small_mlp.h"
#include "stablehlo/read.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// Of a program that four devices run as it is.
PlanPtr planOnFour(const std::string& text)
{
    const auto program = std::make_shared<const Program>(readStableHlo(text).value().program);
    auto parts = std::make_shared<const PartitionedProgram>(unsharded(*program, { 1, 4 }).value());
    return makePlan(std::make_shared<const FlatProgram>(flatten(program, std::move(parts), {}).value()));
}

/// Each instruction by itself; collectives are meetings.
std::vector<Turn> turnsOf(const Plan& plan)
{
    std::vector<Turn> turns;
    for (std::uint32_t i = 0; i < plan.instructions.size(); ++i)
        turns.push_back({ i, std::holds_alternative<CollectiveInstruction>(plan.instructions[i].action), { i }, 0 });
    meetSeldom(plan, 0, turns);
    return turns;
}

bool dependOnEachOther(const Plan& plan, const Instruction& a, const Instruction& b)
{
    bool found = false;
    forEachSlot(plan, a, [&](SlotId ofA, bool writes) {
        forEachSlot(plan, b, [&](SlotId ofB, bool isWrite) {
            const Slot &x = plan.slot(ofA), &y = plan.slot(ofB);
            found = found || ((writes || isWrite) && x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes);
        });
    });
    return found;
}

/// Numbers of collectives, per phase that has some.
std::vector<std::size_t> collectivesIn(const Phases& phases)
{
    std::vector<std::size_t> numbers;
    for (const Phase& phase : phases.main.phases)
        if (!phase.collectives.empty())
            numbers.push_back(phase.collectives.size());
    return numbers;
}

Phases phasesOf(const Plan& plan, const PhaseOptions& options = {})
{
    ReplicaSharing sharing;
    MemoryBudget budget(1e12);
    return preparePhases(plan, sharing, budget, options, {}).value();
}

} // namespace

class TestMeetings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gathersOfParametersAreHeldTogether()
    {
        const std::string gather = "all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, "
                                   "type = 0>, use_global_device_ids, replica_groups = dense<";
        const PlanPtr plan =
            planOnFour("func.func @main(%v: tensor<2x4xf32>, %w: tensor<2x4xf32>) -> tensor<4x4xf32> {\n"
                       "  %0 = \"stablehlo.all_gather\"(%v) {"
                + gather
                + "[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<2x4xf32>) -> tensor<4x4xf32>\n"
                  "  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] :"
                  " (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
                  "  %2 = \"stablehlo.all_gather\"(%w) {"
                + gather
                + "[[0, 2], [1, 3]]> : tensor<2x2xi64>} : (tensor<2x4xf32>) -> tensor<4x4xf32>\n"
                  "  %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] :"
                  " (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
                  "  return %3 : tensor<4x4xf32>\n}\n");
        QCOMPARE(collectivesIn(phasesOf(*plan)), (std::vector<std::size_t>{ 2 }));
        // Where every operation is looked at, or timed, they stay in their order.
        QCOMPARE(collectivesIn(phasesOf(*plan, { true, false })), (std::vector<std::size_t>{ 1, 1 }));
        QCOMPARE(collectivesIn(phasesOf(*plan, { false, true })), (std::vector<std::size_t>{ 1, 1 }));

        RunOptions options = randomInputs(2);
        options.initial.chosen.clear();
        auto together = Run::create(plan, options).value();
        options.tracedInstructions = 16;
        auto inOrder = Run::create(plan, options).value();
        for (Run* run : { together.get(), inOrder.get() })
            run->step();
        QVERIFY(together->gatherResult(0) == inOrder->gatherResult(0));
        QCOMPARE(together->copiedBytes(), inOrder->copiedBytes());
    }

    void dependencesAreKept_data()
    {
        QTest::addColumn<QString>("mesh");
        for (const QString& mesh : meshesOfEight())
            QTest::addRow("%s", qPrintable(mesh)) << mesh;
    }
    void dependencesAreKept()
    {
        QFETCH(QString, mesh);
        const PlanPtr plan = makePlan(mlpOnDevices(smallMlp(), makeMesh(axesOf(mesh))));
        const std::vector<Turn> turns = turnsOf(*plan);
        std::vector<std::size_t> placeOf(plan->instructions.size(), SIZE_MAX);
        for (std::size_t t = 0; t < turns.size(); ++t)
            placeOf[turns[t].place] = t;
        QVERIFY(std::find(placeOf.begin(), placeOf.end(), SIZE_MAX) == placeOf.end());
        for (std::size_t j = 0; j < placeOf.size(); ++j)
            for (std::size_t i = 0; i < j; ++i) {
                if (!dependOnEachOther(*plan, plan->instructions[i], plan->instructions[j]))
                    continue;
                QVERIFY(placeOf[i] < placeOf[j]);
                const Turn &first = turns[placeOf[i]], &then = turns[placeOf[j]];
                QVERIFY(first.round < then.round || (!first.isMeeting && first.round == then.round));
            }
        // In a round first what each device does on its own.
        QVERIFY(std::is_sorted(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
            return std::pair(a.round, a.isMeeting) < std::pair(b.round, b.isMeeting);
        }));
    }

    void sameBits_data() { dependencesAreKept_data(); }
    void sameBits()
    {
        QFETCH(QString, mesh);
        const PlanPtr plan = makePlan(mlpOnDevices(smallMlp(), makeMesh(axesOf(mesh))));
        RunOptions options = randomInputs(1);
        options.tracedInstructions = 1000;
        auto inOrder = Run::create(plan, options).value();
        for (int step = 0; step < 2; ++step)
            inOrder->step();
        for (const int threads : { 1, 3 }) {
            auto run = Run::create(plan, randomInputs(threads)).value();
            for (int step = 0; step < 2; ++step)
                run->step();
            for (const StatePair& pair : plan->program->program->state)
                for (std::int64_t position = 0; position < plan->program->mesh->deviceCount(); ++position) {
                    const auto own = run->bytes(pair.argument, position);
                    const auto other = inOrder->bytes(pair.argument, position);
                    QVERIFY(!own.empty());
                    QVERIFY(std::equal(own.begin(), own.end(), other.begin(), other.end()));
                }
            QCOMPARE(run->copiedBytes(), inOrder->copiedBytes());
        }
    }
};

REGISTER_TEST(TestMeetings)
#include "test_meetings.moc"

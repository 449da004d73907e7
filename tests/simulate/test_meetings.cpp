// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions in an order in which devices meet seldom: what depends on what stays in its order, what does not is done
// together, and nobody can tell by the bits.
#include <QtTest>

#include <algorithm>
#include <set>

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

/// A product of what is gathered of %v with itself, and that with what is gathered of %w; the first gather is a result
/// as well where it is `kept`.
std::string twoGathers(bool kept)
{
    const auto gathered = [](const std::string& name, const std::string& groups) {
        return "\"stablehlo.all_gather\"(" + name
            + ") {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,"
              " use_global_device_ids, replica_groups = dense<"
            + groups + "> : tensor<2x2xi64>} : (tensor<2x4xf32>) -> tensor<4x4xf32>\n";
    };
    const std::string product =
        ", contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n";
    const std::string type = kept ? ", tensor<4x4xf32>" : "";
    return "func.func @main(%v: tensor<2x4xf32>, %w: tensor<2x4xf32>) -> (tensor<4x4xf32>" + type
        + ") {\n  %0 = " + gathered("%v", "[[0, 1], [2, 3]]") + "  %1 = stablehlo.dot_general %0, %0" + product
        + "  %2 = " + gathered("%w", "[[0, 2], [1, 3]]") + "  %3 = stablehlo.dot_general %1, %2" + product
        + "  return %3" + (kept ? ", %0" : "") + " : tensor<4x4xf32>" + type + "\n}\n";
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
    void gathersAreHeldTogether()
    {
        // The second gather does not need the first product, but the memory of the first gather.
        QCOMPARE(collectivesIn(phasesOf(*planOnFour(twoGathers(false)))), (std::vector<std::size_t>{ 1, 1 }));
        const PlanPtr plan = planOnFour(twoGathers(true));
        QCOMPARE(collectivesIn(phasesOf(*plan)), (std::vector<std::size_t>{ 2 }));
        // Where a run is observed or traced, or has plain kernels, they stay in their order.
        QCOMPARE(collectivesIn(phasesOf(*plan, { true, false })), (std::vector<std::size_t>{ 1, 1 }));
        QCOMPARE(collectivesIn(phasesOf(*plan, { false, true })), (std::vector<std::size_t>{ 1, 1 }));

        RunOptions options = randomInputs(2);
        options.initial.chosen.clear();
        auto together = Run::create(plan, options).value();
        options.tracedInstructions = 16;
        auto inOrder = Run::create(plan, options).value();
        for (Run* run : { together.get(), inOrder.get() })
            run->step();
        QVERIFY(!together->gatherResult(0).empty());
        QVERIFY(together->gatherResult(0) == inOrder->gatherResult(0));
        QCOMPARE(together->copiedBytes(), inOrder->copiedBytes());
    }

    /// The answer of its condition is a value from before it, which no instruction of the loop names.
    void aLoopWaitsForWhatItsConditionReturns()
    {
        const PlanPtr plan = planOnFour(R"(func.func @main(%n: tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %u = stablehlo.multiply %x, %x : tensor<f32>
  %s = "stablehlo.all_reduce"(%u) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %t = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %t : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids,
      replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<f32>) -> tensor<f32>
  %low = stablehlo.constant dense<-1.0> : tensor<f32>
  %c = stablehlo.compare LT, %s, %low, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = stablehlo.while(%i = %n) : tensor<f32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.add %i, %i : tensor<f32>
    stablehlo.return %k : tensor<f32>
  }
  return %r : tensor<f32>
})");
        const std::vector<Turn> turns = turnsOf(*plan);
        const auto isControl = [&](const Turn& turn) {
            return std::holds_alternative<ControlInstruction>(plan->instructions[turn.place].action);
        };
        const auto loop = std::find_if(turns.begin(), turns.end(), isControl);
        const auto sum = std::find_if(turns.begin(), turns.end(), [](const Turn& turn) { return turn.isMeeting; });
        QVERIFY(loop != turns.end() && sum != turns.end());
        QVERIFY(sum->round < loop->round);
        QVERIFY(
            std::is_sorted(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.place < b.place; }));
    }

    /// What an operation finds is said in the order of the program, also where the second could be done before.
    void effectsStayInTheirOrder()
    {
        const PlanPtr plan =
            planOnFour(R"(func.func @main(%v: tensor<2x4xf32>, %w: tensor<2x4xf32>) -> tensor<4x4xf32> {
  %g = "stablehlo.all_gather"(%v) {all_gather_dim = 0 : i64, use_global_device_ids,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
      replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  stablehlo.custom_call @check.expect_eq(%g, %g) {has_side_effect = true} : (tensor<4x4xf32>, tensor<4x4xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%w, %w) {has_side_effect = true} : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
  return %g : tensor<4x4xf32>
})");
        std::vector<std::uint32_t> effects;
        for (const Turn& turn : turnsOf(*plan))
            if (plan->instructions[turn.place].results.empty()
                && std::holds_alternative<KernelInstruction>(plan->instructions[turn.place].action))
                effects.push_back(turn.place);
        QCOMPARE(effects.size(), std::size_t{ 2 });
        QVERIFY(effects[0] < effects[1]);
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
        for (const int threads : { 1, 2, 3, 4 }) {
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

    void clustersHoldTheirGroups_data() { dependencesAreKept_data(); }
    /// Each phase that stays within clusters is done by them completely, and there are fewer meetings than without.
    void clustersHoldTheirGroups()
    {
        QFETCH(QString, mesh);
        const PlanPtr plan = makePlan(mlpOnDevices(smallMlp(), makeMesh(axesOf(mesh))));
        const auto meetings = [](const Phases& phases) {
            return std::count_if(phases.main.phases.begin(), phases.main.phases.end(), [](const Phase& phase) {
                return phase.reduced || (!phase.collectives.empty() && !phase.staysInClusters);
            });
        };
        const Phases alone = phasesOf(*plan);
        QVERIFY(alone.clusters.empty());
        for (const int workers : { 2, 3, 4 }) {
            const Phases phases = phasesOf(*plan, { false, false, workers });
            QVERIFY(meetings(phases) <= meetings(alone));
            if (phases.clusters.empty())
                continue;
            QVERIFY(meetings(phases) < meetings(alone));
            QCOMPARE(phases.clusters.devices.size() % static_cast<std::size_t>(workers), std::size_t{ 0 });
            for (const Phase& phase : phases.main.phases)
                for (const Phase::Collective& one : phase.collectives) {
                    if (!phase.staysInClusters) {
                        QVERIFY(one.parts.empty());
                        continue;
                    }
                    QVERIFY(phases.clusters.hold(one.exchange->groups()));
                    std::set<std::int64_t> tasks;
                    std::set<std::size_t> groups;
                    const auto clusterOf = [&](std::size_t group) {
                        return phases.clusters.of[static_cast<std::size_t>(one.exchange->groups()[group].front())];
                    };
                    for (std::size_t c = 0; c < one.parts.size(); ++c) {
                        for (const std::int64_t task : one.parts[c].tasks) {
                            QCOMPARE(clusterOf(one.exchange->groupOf(task)), static_cast<std::int32_t>(c));
                            QVERIFY(tasks.insert(task).second);
                        }
                        for (const std::size_t group : one.parts[c].groups) {
                            QCOMPARE(clusterOf(group), static_cast<std::int32_t>(c));
                            QVERIFY(groups.insert(group).second);
                        }
                    }
                    QCOMPARE(static_cast<std::int64_t>(tasks.size()), one.exchange->taskCount());
                    QCOMPARE(groups.size(), one.exchange->groups().size());
                }
        }
        if (mesh == QStringLiteral("data=2 model=4"))
            QVERIFY(!phasesOf(*plan, { false, false, 2 }).clusters.empty());
    }

    /// Small state may move between workers to save rounds of meetings, state of some size does not.
    void largeStateStaysWithItsWorker()
    {
        const auto moves = [](std::int64_t width) {
            MlpSettings settings = smallMlp();
            settings.embed = settings.hidden = width;
            const PlanPtr plan = makePlan(mlpOnDevices(settings, makeMesh({ { "data", 2 }, { "model", 4 } })));
            const Phases phases = phasesOf(*plan, { false, false, 2 });
            return !phases.clusters.empty()
                && std::any_of(phases.reduced.begin(), phases.reduced.end(),
                    [&](const auto& reduced) { return !phases.clusters.hold(reduced->groups()); });
        };
        QVERIFY(moves(32));
        QVERIFY(!moves(256));
    }

    /// Clusters that hold what their devices update together: the worker of a cluster does these tasks, too.
    void tasksGoToTheWorkerOfTheCluster()
    {
        MlpSettings settings = smallMlp();
        settings.embed = settings.hidden = 48;
        const PlanPtr plan = makePlan(mlpOnDevices(settings, makeMesh({ { "model", 2 }, { "x", 2 }, { "data", 2 } })));
        const Phases phases = phasesOf(*plan, { false, false, 2 });
        QVERIFY(!phases.clusters.empty() && !phases.reduced.empty());
        bool isHeld = false;
        for (const auto& reduced : phases.reduced) {
            if (!phases.clusters.hold(reduced->groups()))
                continue;
            isHeld = true;
            std::vector<std::int32_t> clusters; // per task
            for (const std::vector<std::int32_t>& group : reduced->groups())
                clusters.push_back(phases.clusters.of[static_cast<std::size_t>(group.front())]);
            QVERIFY(std::is_sorted(clusters.begin(), clusters.end()));
        }
        QVERIFY(isHeld);
    }

    /// One loop never ends on device 3, a later one never on device 0: the first is told, whoever gets how far.
    void theFirstFailureIsTold()
    {
        const auto loop = [](const std::string& result, const std::string& operand, const std::string& device) {
            return "  %d" + device + " = stablehlo.constant dense<" + device + "> : tensor<ui32>\n  %c" + device
                + " = stablehlo.compare EQ, %p, %d" + device
                + ", UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n  " + result + " = stablehlo.while(%i"
                + device + " = " + operand + ") : tensor<f32>\n  cond {\n    stablehlo.return %c" + device
                + " : tensor<i1>\n  } do {\n    %k = stablehlo.add %i" + device + ", %i" + device
                + " : tensor<f32>\n    stablehlo.return %k : tensor<f32>\n  }\n";
        };
        const PlanPtr plan = planOnFour("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
                                        "  %p = stablehlo.partition_id : tensor<ui32>\n"
            + loop("%a", "%x", "3") + R"(  %s = "stablehlo.all_reduce"(%a) ({
    ^bb0(%y: tensor<f32>, %z: tensor<f32>):
      %t = stablehlo.add %y, %z : tensor<f32>
      stablehlo.return %t : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids,
      replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<f32>) -> tensor<f32>
)" + loop("%b", "%s", "0")
            + "  return %b : tensor<f32>\n}\n");
        QVERIFY(!phasesOf(*plan, { false, false, 2 }).clusters.empty());
        std::vector<int> lines;
        for (const int threads : { 1, 2, 4 }) {
            RunOptions options;
            options.threads = threads;
            options.maximumTrips = 10;
            auto run = Run::create(plan, options).value();
            run->step();
            QVERIFY(run->failure().has_value());
            lines.push_back(run->failure()->where.line);
        }
        QVERIFY(lines[0] > 0);
        QCOMPARE(lines, (std::vector<int>{ lines[0], lines[0], lines[0] }));
    }

    /// Products of few rows with shared parameters are done for all replicas at once, those of many rows are not.
    void sharedOperandsAreReadOnce()
    {
        const auto sharesWithBatch = [](std::int64_t batch) {
            MlpSettings settings = smallMlp();
            settings.batch = batch;
            const PlanPtr plan = makePlan(mlpOnDevices(settings, makeMesh({ { "data", 2 }, { "model", 4 } })));
            ReplicaSharing sharing = shareReplicas(*plan);
            MemoryBudget budget(1e12);
            const Phases phases = preparePhases(*plan, sharing, budget, { false, false, 2 }, {}).value();
            return std::any_of(phases.main.phases.begin(), phases.main.phases.end(),
                [](const Phase& phase) { return phase.sharesOperands; });
        };
        QVERIFY(sharesWithBatch(8));
        QVERIFY(!sharesWithBatch(64));
        const PlanPtr plan = makePlan(mlpOnDevices(smallMlp(), makeMesh({ { "data", 2 }, { "model", 4 } })));
        const Phases own = phasesOf(*plan, { false, false, 2 });
        QVERIFY(std::none_of(
            own.main.phases.begin(), own.main.phases.end(), [](const Phase& phase) { return phase.sharesOperands; }));
    }

    /// Devices that hold the same shard of shared state, and those that are to be held together.
    void sharersStandInOneCluster()
    {
        const PlanPtr plan = makePlan(mlpOnDevices(smallMlp(), makeMesh({ { "data", 2 }, { "model", 4 } })));
        ReplicaSharing sharing;
        sharing.shards = { { 0, 1, 2, 3, 0, 1, 2, 3 }, {} };
        const SmallExchanges exchanges(*plan);
        const std::vector<std::vector<std::int32_t>> pairs{ { 0, 1 }, { 1, 4 } };
        QCOMPARE(connectedDevices(pairs, 5), (SmallExchanges::Groups{ { 0, 1, 4 }, { 2 }, { 3 } }));
        QVERIFY(exchanges.candidates(sharing, {}, 1).empty());
        const std::vector<Clusters> candidates = exchanges.candidates(sharing, {}, 2);
        QVERIFY(!candidates.empty());
        for (const Clusters& clusters : candidates) {
            QCOMPARE(clusters.devices.size() % 2, std::size_t{ 0 });
            for (const std::vector<std::int32_t>& holders : sharing.shards)
                for (std::size_t a = 0; a < holders.size(); ++a)
                    for (std::size_t b = 0; b < a; ++b)
                        QVERIFY(holders[a] != holders[b] || clusters.of[a] == clusters.of[b]);
        }
        const SmallExchanges::Groups held{ { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 } };
        const auto holds = [&](const Clusters& clusters) { return clusters.hold(held); };
        const std::vector<Clusters> free = exchanges.candidates({}, {}, 2), holding = exchanges.candidates({}, held, 2);
        QVERIFY(!std::all_of(free.begin(), free.end(), holds));
        QVERIFY(!holding.empty() && std::all_of(holding.begin(), holding.end(), holds));
    }
};

REGISTER_TEST(TestMeetings)
#include "test_meetings.moc"

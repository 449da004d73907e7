// SPDX-License-Identifier: GPL-3.0-or-later
// Whole steps of the MLP on simulated devices: the same bits in every way to run them, and without allocations.
#include <QtTest>

#include <cmath>
#include <cstring>

#include "base/codes.h"
#include "benchmarks/count_allocations.h"
#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"
#include "simulate/small_mlp.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// The bytes of everything that is state, on all devices; none if some device holds nothing of it.
std::vector<std::byte> stateBytes(const Run& run)
{
    std::vector<std::byte> all;
    const Program& program = *run.plan().program->program;
    for (const StatePair& pair : program.state)
        for (std::int64_t p = 0; p < run.plan().program->mesh->deviceCount(); ++p) {
            const auto bytes = run.bytes(pair.argument, p);
            if (bytes.empty())
                return {};
            all.insert(all.end(), bytes.begin(), bytes.end());
        }
    return all;
}

std::vector<std::byte> stateAfter(const PlanPtr& plan, int threads, int steps)
{
    auto run = Run::create(plan, randomInputs(threads)).value();
    for (int s = 0; s < steps; ++s)
        run->step();
    return stateBytes(*run);
}

void addMeshes()
{
    QTest::addColumn<QString>("mesh");
    for (const QString& mesh : meshesOfEight())
        QTest::newRow(qPrintable(mesh)) << mesh;
}

} // namespace

class TestRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameBits_data() { addMeshes(); }
    void sameBits();
    void sharedReplicas_data() { addMeshes(); }
    void sharedReplicas();
    void readsValues();
    void deviceOrderDoesNotMatter();
    void allocatesNothing();
    void refusesWrongValues();
    void times();
    void timesLoops();
};

void TestRun::sameBits()
{
    QFETCH(QString, mesh);
    for (const DType dtype : { DType::F32, DType::F64 }) {
        const auto program = mlpOnDevices(smallMlp(dtype), makeMesh(axesOf(mesh)));
        const auto fused = makePlan(program);
        const auto first = stateAfter(fused, 1, 3);
        QVERIFY(!first.empty());
        QVERIFY(!first.empty());
        QVERIFY(stateAfter(fused, 2, 3) == first);
        QVERIFY(stateAfter(fused, 4, 3) == first);
        ScheduleOptions separate;
        separate.fuse = false;
        QVERIFY(stateAfter(makePlan(program, separate), 2, 3) == first);
        ScheduleOptions keeping;
        keeping.keep = gradientsOf(*program->program);
        QVERIFY(stateAfter(makePlan(program, keeping), 2, 3) == first);

        auto run = Run::create(fused, randomInputs(2)).value();
        for (int s = 0; s < 5; ++s)
            run->step();
        run->reset();
        for (int s = 0; s < 3; ++s)
            run->step();
        QCOMPARE(run->stepsDone(), std::int64_t(3));
        QVERIFY(stateBytes(*run) == first);
        for (const StatePair& pair : program->program->state)
            QVERIFY(!run->replicaDifference(pair.argument));
    }
}

// Other storage and other work for each device, the same bits.
void TestRun::sharedReplicas()
{
    QFETCH(QString, mesh);
    for (const bool fuse : { true, false }) {
        const auto program = mlpOnDevices(smallMlp(), makeMesh(axesOf(mesh)));
        ScheduleOptions scheduling;
        scheduling.fuse = fuse;
        scheduling.keep = gradientsOf(*program->program);
        const auto plan = makePlan(program, scheduling);
        auto own = Run::create(plan, randomInputs(2)).value();
        for (const int threads : { 1, 2, 4 }) {
            RunOptions options = randomInputs(threads);
            options.replicas = ReplicaMode::Shared;
            auto shared = Run::create(plan, options).value();
            own->reset();
            QVERIFY(!stateBytes(*own).empty());
            QVERIFY(stateBytes(*shared) == stateBytes(*own));
            for (int step = 0; step < 3; ++step) {
                own->step();
                shared->step();
                QVERIFY(stateBytes(*shared) == stateBytes(*own));
                for (const ValueId gradient : gradientsOf(*program->program))
                    QVERIFY(shared->gather(gradient) == own->gather(gradient));
            }
            QCOMPARE(shared->logicalBytes(), own->logicalBytes());
            QCOMPARE(own->physicalBytes() >= own->logicalBytes(), true);
            // Every parameter is held copies times; with its moments that is most of the memory.
            const Program& p = *program->program;
            std::int64_t saved = 0;
            for (const StatePair& pair : p.state) {
                const Layout layout = program->layout(FlatValueId(pair.argument.index));
                if (p.value(pair.argument).role != Role::Step && p.value(pair.argument).role != Role::Count)
                    saved += (layout.copies() - 1) * layout.distinctShards()
                        * program->value(FlatValueId(pair.argument.index)).localType.byteCount();
            }
            if (threads == 2 && fuse)
                QVERIFY(shared->physicalBytes() <= own->physicalBytes() - saved);
        }
    }
}

void TestRun::readsValues()
{
    const auto program = mlpOnDevices(smallMlp(), makeMesh({ { "data", 2 }, { "model", 4 } }));
    const Program& p = *program->program;
    ScheduleOptions options;
    options.keep = gradientsOf(p);
    auto run = Run::create(makePlan(program, options), randomInputs(2)).value();
    const ValueId w = p.find("params/layers.0/W1");
    const ValueId gradient = p.find("grad(params/layers.0/W1)");
    QVERIFY(run->gather(gradient).empty()); // there is none yet
    QVERIFY(run->gatherResult(0).empty());
    const std::vector<double> before = run->gather(w);
    const InitialArrays begun(p, randomInputs(1).initial);
    for (std::size_t i = 0; i < before.size(); ++i)
        QCOMPARE(before[i], static_cast<double>(static_cast<float>(begun.at(w, static_cast<std::int64_t>(i)))));
    run->step();
    QCOMPARE(run->gather(p.find("step")), std::vector<double>{ 1 });
    for (const ValueId value : { w, gradient }) {
        const std::vector<double> full = run->gather(value);
        const Layout layout = program->layout(FlatValueId(value.index));
        for (std::int64_t position = 0; position < 8; ++position) {
            const auto ranges = layout.rangesAt(position);
            const auto shard = run->shard(value, position);
            QCOMPARE(static_cast<std::int64_t>(shard.size()), ranges[0].size() * ranges[1].size());
            QCOMPARE(run->bytes(value, position).size(), shard.size() * 4);
            std::size_t i = 0;
            for (std::int64_t r = ranges[0].begin; r < ranges[0].end; ++r)
                for (std::int64_t c = ranges[1].begin; c < ranges[1].end; ++c)
                    QCOMPARE(shard[i++], full[static_cast<std::size_t>(r * 40 + c)]);
        }
    }
    QVERIFY(run->gather(w) != before);
    for (const StatePair& pair : p.state)
        QVERIFY(run->gatherResult(pair.result) == run->gather(pair.argument));
    QVERIFY(run->bytes(w, 8).empty());
    QVERIFY(run->copiedBytes() > 0);
    QVERIFY(run->physicalBytes() >= run->logicalBytes());
}

void TestRun::deviceOrderDoesNotMatter()
{
    const std::vector<MeshAxis> axes{ { "data", 2 }, { "model", 4 } };
    const auto mesh = std::make_shared<const Mesh>(Mesh::create(axes, { 3, 1, 7, 5, 0, 2, 6, 4 }).value());
    auto shuffled = Run::create(makePlan(mlpOnDevices(smallMlp(), mesh)), randomInputs(2)).value();
    auto plain = Run::create(makePlan(mlpOnDevices(smallMlp(), makeMesh(axes))), randomInputs(2)).value();
    for (int s = 0; s < 2; ++s) {
        shuffled->step();
        plain->step();
    }
    for (const StatePair& pair : plain->plan().program->program->state)
        QVERIFY(shuffled->gather(pair.argument) == plain->gather(pair.argument));
}

void TestRun::allocatesNothing()
{
    using Row = std::tuple<const char*, unsigned, ReplicaMode>;
    constexpr ReplicaMode own = ReplicaMode::Own, shared = ReplicaMode::Shared;
    for (const auto& [mesh, traced, replicas] :
        { Row("data=2 model=4", 0, own), Row("data=8 model=1", 0, own), Row("data=2 model=4", 5, own),
            Row("data=2 model=4", 10'000, own), Row("data=2 model=4", 0, shared), Row("data=8 model=1", 0, shared) }) {
        RunOptions options = randomInputs(2);
        options.tracedInstructions = traced;
        options.replicas = replicas;
        auto run = Run::create(makePlan(mlpOnDevices(smallMlp(), makeMesh(axesOf(QString::fromLatin1(mesh))))), options)
                       .value();
        const std::int64_t before = bench::allocationsSoFar();
        run->step();
        for (int s = 0; s < 10; ++s)
            run->step();
        QCOMPARE(bench::allocationsSoFar() - before, std::int64_t(0));
    }
    QVERIFY(bench::allocationsSoFar() > 0);
}

void TestRun::refusesWrongValues()
{
    const auto plan = makePlan(mlpOnDevices(smallMlp(), makeMesh({ { "data", 1 }, { "model", 1 } })));
    RunOptions options = randomInputs(1);
    options.initial.byPath["x"] = { 1, 2, 3 };
    QCOMPARE(Run::create(plan, options).error().code, Code::TypeMismatch);
    options.initial.byPath = { { "params/nothing", { 1 } } };
    QCOMPARE(Run::create(plan, options).error().code, Code::UnknownTensor);
}

void TestRun::times()
{
    auto run =
        Run::create(makePlan(mlpOnDevices(smallMlp(), makeMesh({ { "data", 2 }, { "model", 4 } }))), randomInputs(1))
            .value();
    const StepTiming& timing = run->step();
    QCOMPARE(timing.devices.size(), std::size_t(8));
    double sum = 0, shortest = 1e9;
    for (const DeviceTimes& times : timing.devices) {
        QVERIFY(times.compute > 0 && times.communication > 0 && times.wait >= 0);
        sum += times.compute + times.communication;
        shortest = std::min(shortest, times.wait);
    }
    // One worker does everything one after the other: what is measured fits into the wall time.
    QVERIFY(sum <= timing.wall);
    // The last collective is common to all of a group: somebody never waits there.
    QVERIFY(shortest < timing.wall);
}

void TestRun::timesLoops()
{
    auto run =
        Run::create(makePlan(mlpOnDevices(smallMlp(), makeMesh({ { "data", 2 }, { "model", 4 } }))), randomInputs(2))
            .value();
    int steps = 0;
    std::stop_source stop;
    const TimeitResult all = timeit(*run, 3, 2, stop.get_token(), [&steps](const StepTiming&) { ++steps; });
    QCOMPARE(steps, 6);
    QCOMPARE(all.perLoop.size(), std::size_t(3));
    QVERIFY(!all.stopped);
    const double mean = (all.perLoop[0] + all.perLoop[1] + all.perLoop[2]) / 3;
    QVERIFY(std::fabs(all.mean - mean) <= 1e-12 * mean);
    double variance = 0;
    for (const double x : all.perLoop)
        variance += (x - mean) * (x - mean) / 3;
    QVERIFY(std::fabs(all.deviation - std::sqrt(variance)) <= 1e-9 * mean);
    QCOMPARE(all.devices.size(), std::size_t(8));
    QVERIFY(all.devices[0].compute > 0);

    const TimeitResult some = timeit(*run, 3, 2, stop.get_token(), [&](const StepTiming&) { stop.request_stop(); });
    QVERIFY(some.stopped);
    QVERIFY(some.perLoop.empty());
    QCOMPARE(run->stepsDone(), std::int64_t(7));
}

REGISTER_TEST(TestRun)
#include "test_run.moc"

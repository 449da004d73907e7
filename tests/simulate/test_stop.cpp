// SPDX-License-Identifier: GPL-3.0-or-later
// A run that is broken off does next to nothing after that, and says that it means nothing any more.
#include <QTest>

#include <chrono>
#include <thread>

#include "failing_allocations.h"
#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"
#include "simulate/small_mlp.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

PlanPtr planOf(std::int64_t layers, std::int64_t size)
{
    MlpSettings settings;
    settings.layers = layers;
    settings.batch = 16;
    settings.embed = settings.hidden = size;
    return makePlan(mlpOnDevices(settings, makeMesh({ { "data", 2 }, { "model", 4 } })));
}

RunOptions stoppedBy(const std::stop_source& source, int threads)
{
    RunOptions options = randomInputs(threads);
    options.stop = source.get_token();
    return options;
}

void meansNothing(Run& run)
{
    QVERIFY(run.stopped());
    const Program& program = *run.plan().program->program;
    const ValueId weight = program.find("params/layers.0/W1");
    QVERIFY(weight.valid());
    QVERIFY(run.gather(weight).empty());
    QVERIFY(run.bytes(weight, 0).empty());
    QVERIFY(run.shard(weight, 0).empty());
    for (std::size_t result = 0; result < program.main().results.size(); ++result)
        QVERIFY(run.gatherResult(result).empty());
}

} // namespace

class TestStop : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void creatingIsBrokenOffAnywhere()
    {
        const PlanPtr plan = planOf(2, 256);
        const std::int64_t before = allocations;
        QVERIFY(Run::create(plan, stoppedBy(std::stop_source(), 1)).value());
        const std::int64_t all = allocations - before;
        // More than half of the requests are those of filling, one per row of a shard.
        QVERIFY(all > 2 * 3 * (4 * 256 + 256));
        for (std::int64_t at = 1; at <= all; at += 1 + all / 60) {
            std::stop_source source;
            stopped = &source;
            stopAt = allocations + at;
            const auto run = Run::create(plan, stoppedBy(source, 1));
            const std::int64_t afterwards = allocations - stopAt;
            stopAt = 0;
            QVERIFY(run.has_value());
            QVERIFY(!*run);
            QVERIFY2(afterwards < all / 20,
                qPrintable(QStringLiteral("%1 of %2 requests, %3 after it").arg(at).arg(all).arg(afterwards)));
        }
    }

    void nothingIsDoneAfterTheRequest()
    {
        for (const int threads : { 1, 2 }) {
            std::stop_source source;
            const auto run = Run::create(planOf(2, 64), stoppedBy(source, threads)).value();
            run->step();
            QCOMPARE(run->stepsDone(), 1);
            QVERIFY(!run->stopped());
            const ValueId weight = run->plan().program->program->find("params/layers.0/W1");
            const std::span<const std::byte> held = run->bytes(weight, 0);
            const std::vector<std::byte> before(held.begin(), held.end());
            source.request_stop();
            QVERIFY(!run->stopped()); // nothing is broken yet
            QVERIFY(!run->gather(weight).empty());
            const StepTiming& timing = run->step();
            QCOMPARE(run->stepsDone(), 1);
            QVERIFY(std::equal(held.begin(), held.end(), before.begin(), before.end()));
            QCOMPARE(run->copiedBytes(), 0);
            QCOMPARE(timing.wall, 0.0);
            meansNothing(*run);
            const TimeitResult loops = timeit(*run, 3, 2);
            QVERIFY(loops.stopped);
            QVERIFY(loops.perLoop.empty());
            run->reset();
            meansNothing(*run);
        }
    }

    void aStepIsBrokenOff()
    {
        // Nearly all the time is spent inside steps, so nearly every stop comes inside one.
        for (const int threads : { 1, 2 })
            for (int attempt = 0; attempt < 10; ++attempt) {
                std::stop_source source;
                const auto run = Run::create(planOf(2, 256), stoppedBy(source, threads)).value();
                std::jthread closing([&] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(attempt));
                    source.request_stop();
                });
                std::int64_t taken = 0;
                while (!run->stopped())
                    if (run->step(); !run->stopped())
                        QCOMPARE(run->stepsDone(), ++taken);
                QCOMPARE(run->stepsDone(), taken);
                QVERIFY(source.stop_requested());
                meansNothing(*run);
            }
    }
};

REGISTER_TEST(TestStop)
#include "test_stop.moc"

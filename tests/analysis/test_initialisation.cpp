// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a step made on the devices: sharded from the beginning, and the same on any mesh.
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "analysis/analysed.h"
#include "experiment/network_edits.h"
#include "pipeline/collective_list.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "simulate/run/run.h"

using namespace shardscope;

namespace {

/// 64 by 256 matrices, so that the largest shard of a mesh is known.
Experiment smallInitializer(std::int64_t data, std::int64_t model)
{
    Experiment experiment = test::example("flax-mlp-logical");
    auto& settings = std::get<MlpModel>(experiment.model).settings;
    settings.layers = 2;
    settings.embed = 64;
    settings.hidden = 256;
    experiment.mesh.axes = { { "data", data }, { "model", model } };
    experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, static_cast<std::int32_t>(data * model) };
    experiment.acknowledged.clear();
    return withNetworkProgram(experiment, NetworkProgram::Initializer).value();
}

std::vector<std::vector<double>> madeOn(std::int64_t data, std::int64_t model)
{
    const SnapshotPtr snapshot = test::analysed(smallInitializer(data, model));
    RunOptions options;
    options.threads = 2;
    const auto run = Run::create(snapshot->plan, options).value();
    run->step();
    std::vector<std::vector<double>> all;
    for (std::size_t r = 0; r < snapshot->program->main().results.size(); ++r)
        all.push_back(run->gatherResult(r));
    return all;
}

} // namespace

class TestInitialisation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Nothing is exchanged, and no device makes more of an array than its shard.
    void neverHoldsAnUnshardedParameter()
    {
        const SnapshotPtr snapshot = test::analysed(smallInitializer(2, 4));
        QVERIFY(snapshot->ok());
        QVERIFY(snapshot->collectives->entries.empty());
        const TensorRow* weight = snapshot->row("params/layers.0/W1");
        QVERIFY(weight && weight->layout.shardShape() == (Shape{ 64, 64 }));
        const Program& local = *snapshot->plan->program->local;
        for (const OperationId id : local.main().operations)
            for (const ValueId value : local.operation(id).results)
                QVERIFY(local.value(value).type.elementCount() <= 64 * 64);
    }

    void isTheSameOnAnyMesh()
    {
        const auto one = madeOn(1, 1), eight = madeOn(2, 4), four = madeOn(4, 1);
        QCOMPARE(one.size(), std::size_t{ 1 + 4 + 1 + 8 }); // step, matrices, count, mu and nu
        QVERIFY(one == eight);
        QVERIFY(one == four);
        // Normal, of the deviation that Xavier's has.
        double sum = 0, squares = 0;
        for (const double element : one[1]) {
            sum += element;
            squares += element * element;
        }
        const double count = static_cast<double>(one[1].size());
        QVERIFY(std::abs(sum / count) < 0.005);
        QVERIFY(std::abs(std::sqrt(squares / count) / std::sqrt(2.0 / (64 + 256)) - 1) < 0.03);
        QVERIFY(std::all_of(one.back().begin(), one.back().end(), [](double element) { return element == 0; }));
    }
};

REGISTER_TEST(TestInitialisation)
#include "test_initialisation.moc"

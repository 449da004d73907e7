// SPDX-License-Identifier: GPL-3.0-or-later
// Other meshes of as many devices, and which of them sends least as the batch grows.
#include <QTest>

#include <array>

#include "analysis/axes_to_try.h"
#include "analysis/mesh_search.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/network_rules.h"
#include "networks/presets.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

constexpr std::int64_t mib = std::int64_t{ 1 } << 20;

Experiment exampleNamed(std::string_view id)
{
    for (const Example& example : builtinExamples())
        if (example.id == id)
            return example.make();
    qFatal("no such example");
}

/// The MLP of the notebook on 8 devices.
Experiment mlpOfBatch(std::int64_t batch)
{
    return *withDimension(exampleNamed("flax-mlp-logical"), "batch", batch);
}

std::int64_t sizeOf(const std::vector<MeshAxis>& axes, std::string_view name)
{
    const auto found = std::find_if(axes.begin(), axes.end(), [&](const MeshAxis& axis) { return axis.name == name; });
    return found == axes.end() ? 0 : found->size;
}

std::vector<std::vector<std::int64_t>> sizesOf(const std::vector<std::vector<MeshAxis>>& meshes)
{
    std::vector<std::vector<std::int64_t>> sizes;
    for (const auto& axes : meshes) {
        sizes.emplace_back();
        for (const MeshAxis& axis : axes)
            sizes.back().push_back(axis.size);
    }
    return sizes;
}

} // namespace

class TestMeshSearch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void waysToGiveDevices()
    {
        using Sizes = std::vector<std::vector<std::int64_t>>;
        MeshSetting mesh;
        mesh.axes = { { "data", 2 }, { "model", 4 } };
        QCOMPARE(sizesOf(otherMeshes(mesh)), (Sizes{ { 1, 8 }, { 2, 4 }, { 4, 2 }, { 8, 1 } }));
        QCOMPARE(otherMeshes(mesh)[1], mesh.axes);
        mesh.axes = { { "x", 6 } };
        QCOMPARE(sizesOf(otherMeshes(mesh)), (Sizes{ { 6 } }));
        // An axis of size 1 takes part, in its place, as long as there are not too many ways.
        mesh.axes = { { "pod", 1 }, { "x", 3 } };
        QCOMPARE(sizesOf(otherMeshes(mesh)), (Sizes{ { 1, 3 }, { 3, 1 } }));
        QCOMPARE(sizesOf(otherMeshes(mesh, 1)), (Sizes{ { 1, 3 } }));
        mesh.axes = { { "a", 1 }, { "b", 1 } };
        QCOMPARE(sizesOf(otherMeshes(mesh)), (Sizes{ { 1, 1 } }));
        mesh.axes = { { "a", 1024 }, { "b", 1024 }, { "c", 1024 } };
        QVERIFY(otherMeshes(mesh).empty()); // too many
        QVERIFY(otherMeshes({}).size() <= 1);
    }

    /// Axes of size 1: of MaxText's twelve those first that shard what fsdp does not.
    void axesThatMatterTakePart()
    {
        TransformerSettings settings = findPreset("llama3-8b")->settings;
        settings.layers = 2;
        MeshSetting mesh;
        mesh.axes = { { "diloco", 1 }, { "data", 1 }, { "stage", 1 }, { "fsdp", 64 }, { "fsdp_transpose", 1 },
            { "context", 1 }, { "tensor", 1 }, { "tensor_sequence", 1 }, { "expert", 1 }, { "autoregressive", 1 } };
        const PublishedRules* rules = findPublishedRules("maxtext-base-2026-08");
        QVERIFY(rules);
        RulesSetting bound = boundRules(*rules);
        settings.axisNames = axisNamesOf(bound.rules, bound.dialect);
        const Experiment experiment =
            networkExperiment(settings, "", mesh, std::move(bound), std::nullopt, rules).value();
        AnalysisCache cache;
        const SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(experiment), 1, cache);
        const std::vector<std::size_t> order = axesToTry(*snapshot);
        QVERIFY(order.size() >= 4);
        QCOMPARE(experiment.mesh.axes[order[0]].name, "tensor");
        QVERIFY(std::any_of(order.begin(), order.begin() + 3,
            [&](std::size_t axis) { return experiment.mesh.axes[axis].name == "data"; }));
        for (const std::size_t axis : order) {
            QVERIFY(experiment.mesh.axes[axis].name != "diloco"); // no rule names it
            QVERIFY(experiment.mesh.axes[axis].name != "stage"); // a pipeline, which is not modelled
        }
        const std::vector<std::vector<MeshAxis>> all = otherMeshes(experiment.mesh, maximumMeshes, &order);
        QVERIFY(all.size() > 1 && all.size() <= maximumMeshes);
        QVERIFY(std::any_of(all.begin(), all.end(),
            [](const auto& axes) { return sizeOf(axes, "fsdp") == 8 && sizeOf(axes, "tensor") == 8; }));
        QVERIFY(std::all_of(all.begin(), all.end(), [](const auto& axes) { return sizeOf(axes, "diloco") == 1; }));

        std::vector<MeshFigures> figures;
        for (const std::vector<MeshAxis>& axes : all)
            figures.push_back({ axes, {}, {}, {}, {}, {} });
        const TriedAxes tried = triedAxes(figures);
        QVERIFY(std::find(tried.tried.begin(), tried.tried.end(), "tensor") != tried.tried.end());
        QVERIFY(std::find(tried.left.begin(), tried.left.end(), "diloco") != tried.left.end());
        QCOMPARE(tried.tried.size() + tried.left.size(), experiment.mesh.axes.size());
    }

    /// By hand: ring collectives, parameters of 32 MiB with their gradients and two moments, 8 gradients and 7 sums of
    /// activations.
    void figuresOfTheNotebook()
    {
        AnalysisCache cache;
        const std::vector<MeshFigures> found = searchMeshes(mlpOfBatch(512), cache);
        QCOMPARE(found.size(), std::size_t{ 4 });
        const std::int64_t state[] = { 16, 32, 64, 128 };
        const double sent[] = { 24.5, 18.5, 27.5, 56 };
        for (std::size_t i = 0; i < found.size(); ++i) {
            QVERIFY(!found[i].problem);
            QCOMPARE(found[i].stateBytes, std::optional(state[i] * mib));
            QCOMPARE(found[i].sentBytes->value(), sent[i] * static_cast<double>(mib));
            QCOMPARE(found[i].isFront(), i < 2);
            // All but the gradients, which come and go, is there at the same time.
            QVERIFY(found[i].peakBytes && *found[i].peakBytes > state[i] * mib / 4 * 3);
            QCOMPARE(found[i].dominatedBy, i < 2 ? std::nullopt : std::optional(std::size_t{ 1 }));
        }
    }

    /// What sends least along an axis for a pipeline is not called the best.
    void meshesForAPipeline()
    {
        Experiment experiment = mlpOfBatch(512);
        std::get<MlpModel>(experiment.model).settings.yConstraint = MlpSettings::Axes::Logical;
        experiment.mesh.axes = { { "data", 4 }, { "stage", 2 } };
        experiment.rules.rules.list = { { LogicalName::of("batch"), SpecEntry::tuple({ "data", "stage" }) } };
        AnalysisCache cache;
        const FoundMeshes found = findMeshes(experiment, cache, {});
        QVERIFY(found.meshes.size() > 1);
        for (const MeshFigures& each : found.meshes) {
            const bool isPipeline = each.problem && each.problem->code == Code::PipelineAxis;
            QCOMPARE(isPipeline, sizeOf(each.axes, "stage") > 1);
        }
        QCOMPARE(found.compared.size(), std::size_t{ 1 });
        QCOMPARE(sizeOf(found.compared[0].axes, "data"), 8);
    }

    /// The best mesh walks from all model to all data. By hand, in KiB per step: 49 for each row of the batch over 1 x
    /// 8; 8,192 + 21 over 2 x 4, 24,576 + 7 over 4 x 2, 57,344 over 8 x 1. So it changes after 8,192 / 28, 16,384 / 14
    /// and 32,768 / 7 rows.
    void theBestMeshWalks()
    {
        AnalysisCache cache;
        const Experiment experiment = mlpOfBatch(512);
        const std::vector<MeshFigures> meshes = searchMeshes(experiment, cache);
        const std::vector<BatchFigures> found = batchSensitivity(experiment, meshes, cache);
        QCOMPARE(found.size(), std::size_t{ 7 });
        const std::int64_t batches[] = { 128, 512, 2048, 8192 };
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(found[i].batch, batches[i]);
            QCOMPARE(found[i].least, std::optional(i));
        }
        const std::int64_t first[] = { 293, 1171, 4682 };
        for (std::size_t i = 1; i < 4; ++i)
            QCOMPARE(found[i].changes, (std::vector<BatchChange>{ { first[i - 1], i } }));
        for (const std::size_t same : std::initializer_list<std::size_t>{ 0, 4, 5, 6 })
            QVERIFY(found[same].changes.empty());
        QCOMPARE(found[1].sentNow, meshes[1].sentBytes);
        QCOMPARE(found[1].sentLeast, meshes[1].sentBytes);
        QVERIFY(*found[3].sentLeast < *found[3].sentNow);
    }

    /// An axis that shards nothing sends nothing; that is no reason to take its mesh. Nor is one that does not fit.
    void whatNobodyWouldTake()
    {
        AnalysisCache cache;
        Experiment experiment = mlpOfBatch(512);
        experiment.mesh.axes.push_back({ "idle", 2 }); // at 1 it would stay there: no rule names it
        experiment = *withDevicesForMesh(experiment);
        int idle = 0;
        const std::vector<MeshFigures> found = searchMeshes(experiment, cache);
        for (const MeshFigures& each : found) {
            const bool isIdle = each.axes[2].size > 1;
            idle += isIdle ? 1 : 0;
            QCOMPARE(each.problem && each.problem->code == Code::AxisUnused, isIdle);
            QVERIFY(!isIdle || (each.sentBytes && !each.isFront()));
            QVERIFY(!each.dominatedBy || found[*each.dominatedBy].axes[2].size == 1);
        }
        QVERIFY(idle > 3);
        for (const BatchFigures& each : findMeshes(experiment, cache).batches)
            QVERIFY(!each.least || !each.sentLeast || each.sentLeast->value() > 0);

        experiment = mlpOfBatch(512);
        experiment.hardware.memoryPerDevice = 100 * mib;
        const std::vector<MeshFigures> small = searchMeshes(experiment, cache);
        QVERIFY(small[3].problem && small[3].problem->code == Code::OverMemoryLimit); // 128 MiB of state alone
        QVERIFY(!small[0].problem && small[0].isFront());
    }

    /// The front first, then what can be used, what does not fit, and what cannot be.
    void inTheOrderToBeRead()
    {
        AnalysisCache cache;
        const std::vector<MeshFigures> all = searchMeshes(mlpOfBatch(512), cache);
        const std::vector<MeshFigures> sorted = findMeshes(mlpOfBatch(512), cache).meshes;
        QCOMPARE(sorted.size(), all.size());
        const std::size_t order[] = { 1, 0, 2, 3 }; // of the front 2 x 4 sends less
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            QCOMPARE(sorted[i].axes, all[order[i]].axes);
            QCOMPARE(sorted[i].dominatedBy, i < 2 ? std::nullopt : std::optional(std::size_t{ 0 }));
        }
        std::vector<MeshFigures> made(4);
        for (std::size_t i = 0; i < made.size(); ++i) {
            made[i].axes = { { "x", static_cast<std::int64_t>(i + 1) } };
            made[i].stateBytes = 1;
            made[i].sentBytes = Rational(static_cast<std::int64_t>(i));
            made[i].peakBytes = static_cast<std::int64_t>(8 - i);
        }
        made[0].problem = made[1].problem = Diagnostic{ Code::OverMemoryLimit, {}, {} };
        made[2].problem = Diagnostic{ Code::Indivisible, {}, {} };
        made[2].sentBytes.reset();
        sortMeshes(made);
        const std::int64_t sizes[] = { 4, 2, 1, 3 }; // of those that do not fit what needs less
        for (std::size_t i = 0; i < made.size(); ++i)
            QCOMPARE(made[i].axes[0].size, sizes[i]);
    }

    /// Batches are tried on the experiment's own mesh as well, wherever it stands: none sends less than the one that
    /// sends least.
    void ownMeshIsCompared()
    {
        Experiment experiment = mlpOfBatch(512);
        experiment.rules.rules.list.push_back({ LogicalName::of("embed"), SpecEntry::axis("fsdp") });
        experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 8, 8 };
        AnalysisCache cache;
        for (const auto& [data, fsdp, model] :
            { std::array<std::int64_t, 3>{ 64, 1, 1 }, { 1, 64, 1 }, { 1, 1, 64 }, { 4, 4, 4 } }) {
            experiment.mesh.axes = { { "data", data }, { "fsdp", fsdp }, { "model", model } };
            const FoundMeshes found = findMeshes(experiment, cache);
            QVERIFY(found.comparable > 9);
            QVERIFY(found.compared.size() == 8 || found.compared.size() == 9);
            QVERIFY(std::any_of(found.compared.begin(), found.compared.end(),
                [&](const MeshFigures& each) { return each.axes == experiment.mesh.axes; }));
            for (const BatchFigures& each : found.batches)
                if (each.sentNow && each.sentLeast && !each.problemNow)
                    QVERIFY(each.sentLeast->value() <= each.sentNow->value());
        }
        const FoundMeshes few = findMeshes(mlpOfBatch(512), cache);
        QCOMPARE(few.comparable, few.compared.size());
    }

    /// The same batch has the same answer, whichever batch the experiment has: with 2 two meshes are not possible.
    void oneAnswerForEachBatch()
    {
        AnalysisCache cache;
        const FoundMeshes small = findMeshes(mlpOfBatch(2), cache), large = findMeshes(mlpOfBatch(512), cache);
        int compared = 0;
        for (const BatchFigures& one : small.batches)
            for (const BatchFigures& other : large.batches)
                if (one.batch == other.batch) {
                    ++compared;
                    QVERIFY(one.least && other.least);
                    QCOMPARE(small.compared[*one.least].axes, large.compared[*other.least].axes);
                    QCOMPARE(one.sentLeast, other.sentLeast);
                    QCOMPARE(one.changes.size(), other.changes.size());
                    for (std::size_t i = 0; i < one.changes.size(); ++i)
                        QCOMPARE(one.changes[i].from, other.changes[i].from);
                }
        QCOMPARE(compared, 3); // 128, 512 and 2,048

        Experiment tiny = mlpOfBatch(512);
        tiny.hardware.memoryPerDevice = mib;
        const FoundMeshes none = findMeshes(tiny, cache);
        QCOMPARE(none.batches.size(), std::size_t{ 7 });
        for (const BatchFigures& each : none.batches) {
            QVERIFY(!each.least && each.sentNow && each.closest);
            QVERIFY(each.problem && each.problem->code == Code::OverMemoryLimit);
        }
        QCOMPARE(none.compared[*none.batches[0].closest].axes[1].size, std::int64_t{ 8 }); // holds least
    }

    void whatCannotBe()
    {
        AnalysisCache cache;
        // A batch of 2 is not spread over 4: the mesh is there, with its reason.
        const std::vector<MeshFigures> found = searchMeshes(mlpOfBatch(2), cache);
        QCOMPARE(found.size(), std::size_t{ 4 });
        QVERIFY(!found[2].sentBytes && found[2].problem && !found[2].isFront());
        QVERIFY(found[0].isFront() && found[1].sentBytes && !found[1].isFront());
        // Arrays alone have no batch.
        QVERIFY(batchSensitivity(exampleNamed("rule-lab"), {}, cache).empty());
        // What has been partitioned runs on its own mesh alone: of the others there is nothing to tell.
        const auto text = std::make_shared<const std::string>(
            "HloModule m, is_scheduled=true, num_partitions=4\n\n"
            "ENTRY %main_spmd (p: f32[2,8]) -> f32[4,8] {\n"
            "  %p = f32[2,8]{1,0} parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}\n"
            "  ROOT %g = f32[4,8]{1,0} all-gather(%p), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), "
            "dimensions={0}, use_global_device_ids=true\n}\n");
        const Result<Experiment> compiled = experimentOf(ProgramModel{ {}, text, {} }, "compiled");
        QVERIFY(compiled.has_value());
        const FoundMeshes fixed = findMeshes(*compiled, cache);
        QCOMPARE(fixed.meshes.size(), std::size_t{ 3 });
        QCOMPARE(fixed.meshes[0].axes, compiled->mesh.axes);
        QVERIFY(fixed.meshes[0].isFront());
        for (std::size_t other : { std::size_t{ 1 }, std::size_t{ 2 } }) {
            const MeshFigures& each = fixed.meshes[other];
            QVERIFY(each.problem && each.problem->code == Code::CompiledProgram);
            QVERIFY(!each.stateBytes && !each.peakBytes && !each.sentBytes && !each.isFront());
        }
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(searchMeshes(mlpOfBatch(8), cache, stopped.get_token()).empty());
        QVERIFY(batchSensitivity(mlpOfBatch(8), {}, cache, stopped.get_token()).empty());
    }
};

REGISTER_TEST(TestMeshSearch)
#include "test_mesh_search.moc"

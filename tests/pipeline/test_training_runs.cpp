// SPDX-License-Identifier: GPL-3.0-or-later
// A transformer trained on the text that comes with the program, from the same numbers and on the same batches, in
// every way in which its step can be laid out: the losses are those of the program in full on one device.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "analysis/analyse.h"
#include "analysis/initial_setting.h"
#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "networks/token_batches.h"
#include "pipeline/collective_list.h"
#include "pipeline/stage_results.h"
#include "program/step_state.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "simulate/run/run.h"

using namespace shardscope;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::int64_t trainingSteps = 5; // what reads and writes where it should not does so in the first ones
#else
constexpr std::int64_t trainingSteps = 200;
#endif

template <class T>
T valueOf(Result<T> result)
{
    if (!result)
        qFatal("%s", std::string(result.error().id()).c_str());
    return std::move(*result);
}

struct TrainingLayout {
    DType dtype = DType::F64;
    std::vector<MeshAxis> axes = { { "data", 1 }, { "model", 1 } };
    LayerForm form = LayerForm::Unrolled;
    RematPolicy remat = RematPolicy::None;
    std::int64_t microbatches = 1;
    bool optimizerRules = false; ///< embed is sharded in what the optimizer keeps alone
};

/// The small transformer of the gallery in sizes that 200 steps are quick with. T5X' rules shard heads, mlp and vocab
/// over model and embed over data; the batch is sharded over pod and data.
ExperimentPtr trainingExperiment(const TrainingLayout& layout)
{
    Experiment experiment = findExample("transformer-t5x")->experiment;
    experiment.mesh.axes = layout.axes;
    for (LogicalRule& rule : experiment.rules.rules.list)
        if (rule.name == LogicalName::of("batch") && layout.axes.front().name == "pod")
            rule.target = SpecEntry::tuple({ "pod", "data" });
    if (layout.optimizerRules) {
        experiment.rules.inner.push_back({ "opt", experiment.rules.rules });
        std::erase_if(
            experiment.rules.rules.list, [](const LogicalRule& rule) { return rule.name == LogicalName::of("embed"); });
    }
    TransformerTraining& training = std::get<TransformerModel>(experiment.model).settings;
    training.microbatches = layout.microbatches;
    training.optimizer.learningRate = 0.01;
    TransformerSettings& s = training.model;
    s.batch = 16; // 4 microbatches of 4, one sequence for each device of data=4
    s.length = 4;
    s.embed = 16;
    s.heads = 8;
    s.kvHeads = 4;
    s.headSize = 2;
    s.mlp = 32;
    s.vocab = 128;
    s.form = layout.form;
    s.remat = layout.remat;
    s.parameterDtype = s.computeDtype = layout.dtype;
    return std::make_shared<const Experiment>(valueOf(withDevicesForMesh(experiment)));
}

SnapshotPtr trainingSnapshot(const TrainingLayout& layout)
{
    AnalysisCache cache;
    return analyse(trainingExperiment(layout), 1, cache);
}

std::string shippedText()
{
    std::ifstream file(SHARDSCOPE_SOURCE_DIR "/resources/texts/sharding.txt", std::ios::binary);
    return { std::istreambuf_iterator<char>(file), {} };
}

/// What the parameters of layers one after the other begin with, by path, and under the path of all layers their
/// stack: its dimension "layers" is the first, so that it is one array after the other.
std::map<std::string, std::vector<double>> startsWithStacks(const TrainingLayout& layout)
{
    TrainingLayout unrolled = layout;
    unrolled.form = LayerForm::Unrolled;
    unrolled.remat = RematPolicy::None;
    const SnapshotPtr snapshot = trainingSnapshot(unrolled);
    const Program& program = *snapshot->program;
    const InitialArrays arrays(program, initialValuesOf(*snapshot));
    std::map<std::string, std::vector<double>> starts;
    for (const ValueId argument : program.main().arguments) {
        const Value& value = program.value(argument);
        if (value.role != Role::Parameter)
            continue;
        const auto count = value.type.elementCount();
        std::vector<double> numbers;
        for (std::int64_t i = 0; i < count; ++i)
            numbers.push_back(arrays.at(argument, i));
        const std::string path = value.path;
        const std::string single = "/layers.";
        if (const std::size_t layer = path.find(single); layer != std::string::npos) {
            const std::string stacked =
                path.substr(0, layer) + "/layers" + path.substr(path.find('/', layer + single.size()));
            std::vector<double>& all = starts[stacked]; // layers come in their order
            all.insert(all.end(), numbers.begin(), numbers.end());
        }
        starts[path] = std::move(numbers);
    }
    return starts;
}

std::vector<double> lossesOf(
    const Snapshot& snapshot, std::shared_ptr<const Plan> plan, const TrainingLayout& layout, bool plainKernels)
{
    const Program& program = *snapshot.program;
    const TransformerSettings& s = std::get<TransformerModel>(snapshot.experiment->model).settings.model;
    const auto batches = std::make_shared<const TokenBatches>(
        valueOf(TokenBatches::create(shippedText(), { s.batch, s.length }, s.vocab, snapshot.experiment->run.seed)));
    RunOptions options;
    options.threads = 1;
    options.plainKernels = plainKernels;
    options.initial = initialValuesOf(snapshot);
    options.initial.byPath = startsWithStacks(layout);
    std::erase_if(options.initial.byPath, [&](const auto& start) { return !program.find(start.first).valid(); });
    for (std::size_t i = 0; i < program.main().arguments.size(); ++i) {
        const std::string& path = program.value(program.main().arguments[i]).path;
        if (path == "tokens")
            options.initial.perStep[i] = [batches](std::int64_t step) { return batches->tokens(step); };
        else if (path == "targets")
            options.initial.perStep[i] = [batches](std::int64_t step) { return batches->targets(step); };
    }
    const std::size_t loss = lossResult(program, stateOf(program, snapshot.experiment->run.state)).value();
    const std::unique_ptr<Run> run = valueOf(Run::create(std::move(plan), options));
    std::vector<double> losses;
    for (std::int64_t step = 0; step < trainingSteps; ++step) {
        run->step();
        losses.push_back(run->gatherResult(loss).at(0));
    }
    return losses;
}

/// Layers one after the other, nothing computed again, one microbatch, no mesh, every operation by its plain kernel.
const std::vector<double>& referenceLosses(DType dtype)
{
    static std::map<DType, std::vector<double>> known;
    std::vector<double>& losses = known[dtype];
    if (losses.empty()) {
        TrainingLayout layout;
        layout.dtype = dtype;
        const SnapshotPtr snapshot = trainingSnapshot(layout);
        losses = lossesOf(*snapshot, valueOf(plannedInFull(*snapshot)), layout, true);
    }
    return losses;
}

std::int64_t countOf(const Program& program, OpKind kind)
{
    return std::count_if(program.operations.begin(), program.operations.end(),
        [&](const Operation& operation) { return operation.kind == kind; });
}

/// The axes of the mesh that something is exchanged along.
std::set<std::string> axesOfExchanges(const CollectiveList& list)
{
    std::set<std::string> names;
    for (const CollectiveEntry& entry : list.entries)
        for (const AxisRef& axis : entry.axes)
            names.insert(list.mesh->axis(static_cast<std::size_t>(axis.axis)).name);
    return names;
}

} // namespace

Q_DECLARE_METATYPE(TrainingLayout)

class TestTrainingRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameLosses_data()
    {
        QTest::addColumn<TrainingLayout>("layout");
        const std::vector<std::pair<const char*, std::vector<MeshAxis>>> meshes{
            { "1x1", { { "data", 1 }, { "model", 1 } } }, { "2x4", { { "data", 2 }, { "model", 4 } } },
            { "4x2", { { "data", 4 }, { "model", 2 } } }, { "2x2x2", { { "pod", 2 }, { "data", 2 }, { "model", 2 } } }
        };
        for (const DType dtype : { DType::F64, DType::F32 })
            for (const auto& [mesh, axes] : meshes)
                for (const LayerForm form : { LayerForm::Unrolled, LayerForm::Scanned })
                    for (const RematPolicy remat : { RematPolicy::None, RematPolicy::Full })
                        for (const std::int64_t microbatches : { 1, 4 }) {
                            const std::string name = std::string(dtype == DType::F64 ? "f64 " : "f32 ") + mesh
                                + (form == LayerForm::Scanned ? ", scanned" : "")
                                + (remat == RematPolicy::Full ? ", rematerialised" : "")
                                + (microbatches > 1 ? ", microbatches" : "");
                            QTest::newRow(name.c_str())
                                << TrainingLayout{ dtype, axes, form, remat, microbatches, false };
                        }
        for (const LayerForm form : { LayerForm::Unrolled, LayerForm::Scanned })
            QTest::addRow("f64 4x2, rules of the optimizer's own%s", form == LayerForm::Scanned ? ", scanned" : "")
                << TrainingLayout{ DType::F64, meshes[2].second, form, RematPolicy::None, 1, true };
    }

    /// Tolerances are halved, so that they hold between any two of the layouts.
    void sameLosses()
    {
        QFETCH(TrainingLayout, layout);
        const SnapshotPtr snapshot = trainingSnapshot(layout);
        QVERIFY(snapshot->ok());
        const auto plan = plannedProgram(*snapshot);
        QVERIFY(plan.has_value());

        // It is really laid out over the mesh, and computed in the ways that are asked for.
        std::int64_t devices = 1;
        std::set<std::string> sharded;
        for (const MeshAxis& axis : layout.axes) {
            devices *= axis.size;
            if (axis.size > 1)
                sharded.insert(axis.name);
        }
        QCOMPARE((*plan)->program->mesh->deviceCount(), devices);
        QCOMPARE(axesOfExchanges(*valueOf(collectivesOf(*snapshot))), sharded);
        const Program& program = *snapshot->program;
        QCOMPARE(countOf(program, OpKind::While) > 0, layout.form == LayerForm::Scanned);
        if (layout.remat != RematPolicy::None) {
            TrainingLayout kept = layout;
            kept.remat = RematPolicy::None;
            const SnapshotPtr plain = trainingSnapshot(kept);
            QVERIFY(countOf(program, OpKind::DotGeneral) > countOf(*plain->program, OpKind::DotGeneral));
        }

        const std::vector<double>& reference = referenceLosses(layout.dtype);
        const std::vector<double> losses = lossesOf(*snapshot, *plan, layout, false);
        QCOMPARE(losses.size(), reference.size());
        for (std::size_t step = 0; step < losses.size(); ++step) {
            const double tolerance = layout.dtype == DType::F64 ? 0.5e-8 : 0.5e-3 * reference[step];
            QVERIFY2(std::abs(losses[step] - reference[step]) <= tolerance,
                qPrintable(QStringLiteral("step %1: %2 instead of %3")
                               .arg(step)
                               .arg(losses[step], 0, 'g', 17)
                               .arg(reference[step], 0, 'g', 17)));
        }
        if (trainingSteps == 200)
            QVERIFY2(losses.back() < 0.6 * losses.front(), qPrintable(QString::number(losses.back())));
    }

    /// In bf16 b2 = 0.999 is 1, and 1 - b2^t would be 0.
    void shortFloatsTrain()
    {
        TrainingLayout layout;
        layout.dtype = DType::BF16;
        layout.axes = { { "data", 2 }, { "model", 4 } };
        const SnapshotPtr snapshot = trainingSnapshot(layout);
        QVERIFY(std::get<TransformerModel>(snapshot->experiment->model).settings.optimizer.beta2 > 0.998);
        const std::vector<double> losses = lossesOf(*snapshot, valueOf(plannedProgram(*snapshot)), layout, false);
        QVERIFY(std::all_of(losses.begin(), losses.end(), [](double loss) { return std::isfinite(loss); }));
        if (trainingSteps == 200)
            QVERIFY2(losses.back() < 0.7 * losses.front(), qPrintable(QString::number(losses.back())));
    }

    /// ZeRO-1: gradients are summed to the shards of the moments, and new parameters gathered.
    void momentsAreShardedFurther()
    {
        TrainingLayout layout;
        layout.axes = { { "data", 4 }, { "model", 2 } };
        layout.optimizerRules = true;
        const SnapshotPtr snapshot = trainingSnapshot(layout);
        QVERIFY(snapshot->ok());
        for (const Problem& problem : snapshot->problems)
            QVERIFY(problem.diagnostic.code != Code::RuleUnused || problem.diagnostic.arg("rule"));
        const std::shared_ptr<const Plan> plan = valueOf(plannedProgram(*snapshot));
        const FlatProgram& flat = *plan->program;
        const auto shapeOf = [&](const char* path) {
            return *flat.value(FlatValueId(flat.program->find(path).index)).localType.shape;
        };
        QVERIFY((shapeOf("params/decoder/layers.0/mlp/wo/kernel") == Shape{ 16, 16 }));
        for (const char* moment : { "opt/mu/decoder/layers.0/mlp/wo/kernel", "opt/nu/decoder/layers.0/mlp/wo/kernel" })
            QVERIFY((shapeOf(moment) == Shape{ 16, 4 }));
        int scattered = 0, gathered = 0;
        for (const CollectiveEntry& entry : valueOf(collectivesOf(*snapshot))->entries) {
            scattered += entry.kind == CollectiveKind::ReduceScatter ? 1 : 0;
            gathered += entry.kind == CollectiveKind::AllGather && entry.scope.starts_with("optimizer") ? 1 : 0;
        }
        QVERIFY(scattered >= 10 && gathered >= scattered);
    }

    /// Norms of gradients are shown for one device as for several: nothing else takes their place before a step ends.
    void gradientsOfOneDevice()
    {
        const SnapshotPtr snapshot = trainingSnapshot({});
        const std::unique_ptr<Run> run = valueOf(Run::create(valueOf(plannedInFull(*snapshot))));
        run->step();
        const Program& program = *snapshot->program;
        int gradients = 0;
        for (std::size_t v = 0; v < program.values.size(); ++v)
            if (program.values[v].role == Role::Gradient) {
                QCOMPARE(
                    static_cast<std::int64_t>(run->gather(ValueId(v)).size()), program.values[v].type.elementCount());
                ++gradients;
            }
        QVERIFY(gradients > 0);
    }
};

REGISTER_TEST(TestTrainingRuns)
#include "test_training_runs.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever an experiment's program is and however it is propagated: its collectives, its plan, its memory, its values
// and the shards of its arrays are those of one device program, byte for byte.
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/analysed.h"
#include "base/codes.h"
#include "experiment_file/gallery.h"
#include "pipeline/planned_memory.h"
#include "pipeline/program_collectives.h"
#include "pipeline/stage_results.h"
#include "propagation/program_texts.h"
#include "random_cases.h"
#include "registered_test.h"
#include "simulate/run/run.h"
#include "split_mix.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

constexpr std::array strategies{ StrategyChoice::Basic, StrategyChoice::Aggressive, StrategyChoice::OperationPriority,
    StrategyChoice::UserPriority, StrategyChoice::Full };

/// A product of two arrays that are sharded along different mesh axes.
constexpr const char* otherAxes = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
)";

struct Counts {
    int programs = 0, exchanges = 0, runs = 0, refused = 0, plans = 0;
    std::set<std::uint64_t> hashes;
};

Experiment experimentOfText(const std::string& text)
{
    Result<Experiment> experiment = experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text) }, "text");
    if (!experiment)
        qFatal("the program of a test cannot be read");
    return std::move(*experiment);
}

/// Sizes that a test has the time for.
Experiment smaller(Experiment experiment)
{
    if (auto* mlp = std::get_if<MlpModel>(&experiment.model)) {
        mlp->settings.layers = std::min<std::int64_t>(mlp->settings.layers, 2);
        mlp->settings.batch = 8;
        mlp->settings.embed = 16;
        mlp->settings.hidden = 32;
    }
    return experiment;
}

/// The experiment, and the same with another sharding of an argument, another rule of an operation or other rules.
std::vector<Experiment> withOverrides(const Experiment& experiment)
{
    std::vector<Experiment> list{ experiment };
    if (!experiment.rules.rules.list.empty()) {
        Experiment reversed = experiment;
        std::reverse(reversed.rules.rules.list.begin(), reversed.rules.rules.list.end());
        list.push_back(std::move(reversed));
        Experiment fewer = experiment;
        fewer.rules.rules.list.pop_back();
        list.push_back(std::move(fewer));
    }
    if (const auto* text = std::get_if<ProgramModel>(&experiment.model)) {
        const Result<ReadProgram> read = readStableHlo(*text->text);
        if (!read || read->program.main().arguments.empty() || experiment.mesh.axes.empty())
            return list;
        const std::size_t rank = read->program.value(read->program.main().arguments[0]).type.rank();
        for (const bool replicated : { true, false }) {
            std::string sharding = "[";
            for (std::size_t d = 0; d < rank; ++d)
                sharding += std::string(d > 0 ? ", " : "") + "{"
                    + (d == 0 && !replicated ? experiment.mesh.axes[0].name : std::string()) + "}";
            Experiment other = experiment;
            std::get<ProgramModel>(other.model).shardings = { { "arg0", sharding + "]" } };
            list.push_back(std::move(other));
        }
    }
    return list;
}

/// What the operations of main exchange, as a device executes it. Nothing where loops, branches or functions exchange
/// something, too: how often is for the list to say.
std::optional<Rational> sentByMain(const Program& device)
{
    Rational sent;
    std::size_t inAll = 0, inMain = 0;
    for (const Operation& operation : device.operations)
        inAll += deviceExchange(device, operation) ? 1U : 0U;
    for (const OperationId id : device.main().operations)
        if (const auto exchange = deviceExchange(device, device.operation(id))) {
            sent += exchange->sentBytes;
            ++inMain;
        }
    return inMain == inAll ? std::optional(sent) : std::nullopt;
}

std::string toText(const std::vector<IndexRange>& ranges)
{
    std::string text;
    for (const IndexRange& range : ranges)
        text += "[" + std::to_string(range.begin) + ":" + std::to_string(range.end) + "]";
    return text;
}

/// The shards of an array as a dock draws them, and as the device program takes or returns them.
std::string shardDifference(
    const Snapshot& snapshot, ValueId value, const ShardedArray& array, const DeviceProgram& device, ValueId local)
{
    const TensorRow* row = snapshot.row(value);
    if (!row || row->indivisible)
        return {};
    const Layout taken(array.over(device.mesh), array.sharding, array.type.shape);
    if (taken.shardShape() != device.program.value(local).type.shape)
        return row->path + " has other shards than the device program";
    std::map<std::int32_t, std::int64_t> positions;
    for (std::int64_t p = 0; p < taken.mesh().deviceCount(); ++p)
        positions[taken.mesh().deviceAt(p)] = p;
    if (row->layout.mesh().deviceCount() != taken.mesh().deviceCount())
        return row->path + " lies on another number of devices";
    for (std::int64_t p = 0; p < row->layout.mesh().deviceCount(); ++p)
        if (row->layout.rangesAt(p) != taken.rangesAt(positions.at(row->layout.mesh().deviceAt(p))))
            return row->path + " lies otherwise on device " + std::to_string(row->layout.mesh().deviceAt(p)) + ": "
                + toText(row->layout.rangesAt(p)) + " / "
                + toText(taken.rangesAt(positions.at(row->layout.mesh().deviceAt(p)))) + " meshes "
                + std::to_string(snapshot.program->meshes.size());
    return {};
}

/// A step of the plan, where it is small.
std::string runDifference(const std::shared_ptr<const Plan>& plan, std::uint64_t hash, Counts& counts)
{
    constexpr std::int64_t small = 1 << 18;
    if (plan->memory.peakBytes > small || plan->program->mesh->deviceCount() > 16)
        return {};
    RunOptions options;
    options.threads = 1;
    Result<std::unique_ptr<Run>> run = Run::create(plan, options);
    if (!run)
        return run.error().code == Code::NotExecutable ? std::string() : "no run: " + std::string(run.error().id());
    (*run)->step();
    if ((*run)->failure())
        return "the step fails: " + std::string((*run)->failure()->id());
    ++counts.runs;
    return shardscope::hash(*(*run)->plan().program->local) == hash ? "" : "another program was run";
}

/// The first thing that is not about the experiment's device program.
std::string flaw(const Experiment& experiment, AnalysisCache& cache, Counts& counts)
{
    const SnapshotPtr snapshot = analyse(std::make_shared<const Experiment>(experiment), 1, cache);
    const Result<std::uint64_t> hash = deviceProgramHash(*snapshot);
    const auto list = collectivesOf(*snapshot);
    const Result<std::shared_ptr<const Plan>> plan = plannedProgram(*snapshot);
    if (!hash) {
        ++counts.refused;
        return plan ? "there is a plan and no program" : std::string();
    }
    ++counts.programs;
    counts.hashes.insert(*hash);
    const DeviceStages::Partitioned parts = *partitionedProgram(*snapshot);
    const Program& device = parts->device.program;
    if (shardscope::hash(device) != *hash)
        return "the partitioned program has another hash";
    AnalysisCache none;
    if (const auto again = deviceProgramHash(*analyse(std::make_shared<const Experiment>(experiment), 1, none));
        !again || *again != *hash)
        return "without a cache it is another program";

    // What is printed is the program.
    PrintOptions plain; // names of values are for people
    plain.names = PrintedNames::None;
    plain.locations = false;
    const std::string text = printStableHlo(device, plain);
    const Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        return "the printed program cannot be read: " + std::string(read.error().id());
    // A reduction of a network is printed with an initial value of its own: from then on nothing changes any more.
    const std::string again = printStableHlo(read->program, plain);
    const Result<ReadProgram> reread = readStableHlo(again);
    if (!reread || printStableHlo(reread->program, plain) != again)
        return "the printed program is another one";
    if (read->program.main().arguments.size() != device.main().arguments.size()
        || read->program.main().results.size() != device.main().results.size())
        return "the printed program takes or gives something else";

    if (!list)
        return "no list of collectives: " + std::string(list.error().id());
    const Result<PartitionedProgram> listed = partitionProgram(ShardedProgram(*(*list)->sharded));
    if (!listed || shardscope::hash(listed->device.program) != *hash)
        return "collectives of another program";
    if (const std::optional<Rational> sent = sentByMain(device)) {
        Rational sum;
        for (const CollectiveEntry& entry : (*list)->entries)
            sum += entry.sentPerStep();
        if (sum != *sent)
            return "the list of collectives has other bytes than the program";
        counts.exchanges += *sent == Rational(0) ? 0 : 1;
    }

    if (plan) {
        ++counts.plans;
        if (shardscope::hash(*(*plan)->program->local) != *hash)
            return "the plan of another program";
        const PlannedMemory memory = plannedMemory(**plan);
        if (shardscope::hash(*memory.program) != *hash || memory.memory.peakBytes != (*plan)->memory.peakBytes)
            return "memory of another program";
        if (std::string wrong = runDifference(*plan, *hash, counts); !wrong.empty())
            return wrong;
    }
    const Region &main = snapshot->program->main(), &local = device.main();
    for (std::size_t a = 0; a < local.arguments.size(); ++a)
        if (std::string wrong = shardDifference(
                *snapshot, main.arguments[a], parts->device.inputs[a], parts->device, local.arguments[a]);
            !wrong.empty())
            return wrong;

    // Another way of resharding is another program for all alike.
    const auto optimal = deviceProgramHash(*snapshot, true);
    if (!optimal || shardscope::hash((*partitionedProgram(*snapshot, true))->device.program) != *optimal)
        return "the optimal reshards have another hash";
    return {};
}

} // namespace

class TestOneDeviceProgram : public QObject {
    Q_OBJECT

private:
    void check(const std::vector<Experiment>& experiments, Counts& counts)
    {
        for (Experiment experiment : experiments) {
            AnalysisCache cache; // of all settings: what one leaves must not get into another
            const bool large = analyse(std::make_shared<const Experiment>(experiment), 1, cache)->tensors.size() > 500;
            for (const StrategyChoice strategy : strategies)
                for (const bool conservative : { false, true })
                    for (const bool priorities : { true, false }) {
                        if ((large && (conservative || strategy == StrategyChoice::Aggressive))
                            || (!priorities && (!knowsUserPriorities(strategy) || large)))
                            continue;
                        experiment.propagation = { strategy, conservative, priorities };
                        const std::string wrong = flaw(experiment, cache, counts);
                        QVERIFY2(wrong.empty(),
                            (experiment.title + ", " + name(strategy) + (conservative ? ", conservative" : "")
                                + (priorities ? "" : ", without priorities") + ": " + wrong)
                                .c_str());
                    }
        }
    }

private Q_SLOTS:
    void examples_data()
    {
        QTest::addColumn<QString>("id");
        for (const GalleryExample& example : gallery())
            QTest::addRow("%s", std::string(example.id).c_str()) << QString::fromStdString(std::string(example.id));
    }
    void examples()
    {
        QFETCH(QString, id);
        Counts counts;
        check(withOverrides(smaller(findExample(id.toStdString())->experiment)), counts);
        QVERIFY(counts.programs + counts.refused > 0);
    }

    void contendedProduct()
    {
        Counts counts;
        check(withOverrides(experimentOfText(otherAxes)), counts);
        QVERIFY(counts.hashes.size() > 1);
        QVERIFY(counts.exchanges > 0 && counts.runs > 0);
        QCOMPARE(counts.refused, 0);
    }

    void randomNetworks()
    {
        Counts counts;
        for (std::uint64_t seed = 0; seed < test::randomCases(std::uint64_t{ 12 }); ++seed) {
            test::SplitMix random(seed);
            Experiment experiment = test::example("flax-mlp-logical");
            experiment.title = "network " + std::to_string(seed);
            MlpSettings& settings = std::get<MlpModel>(experiment.model).settings;
            const std::vector<std::int64_t> sizes{ 4, 8, 12, 16, 24 };
            settings.layers = 1 + static_cast<std::int64_t>(random.below(2));
            settings.batch = sizes[random.below(sizes.size())];
            settings.embed = sizes[random.below(sizes.size())];
            settings.hidden = sizes[random.below(sizes.size())];
            settings.trainStep = !random.once(4);
            settings.inputGradient = random.once(3);
            settings.axes = random.once(2) ? MlpSettings::Axes::Device : MlpSettings::Axes::Logical;
            const std::vector<std::int64_t> axes{ 1, 2, 4 };
            experiment.mesh.axes = { { "data", axes[random.below(3)] }, { "model", axes[random.below(3)] } };
            experiment.mesh.deviceOrder.clear();
            experiment.rules.boundWhenTraced = random.once(2);
            if (random.once(2))
                experiment.rules.version = FlaxVersion::Current;
            if (seed == 0) { // However few cases are drawn, one is a step that exchanges values.
                settings.batch = settings.embed = settings.hidden = 8;
                settings.trainStep = true;
                experiment.mesh.axes = { { "data", 2 }, { "model", 4 } };
            }
            check({ experiment }, counts);
        }
        QVERIFY2(counts.plans > 0 && counts.runs > 0 && counts.exchanges > 0,
            qPrintable(QStringLiteral("%1 plans, %2 runs").arg(counts.plans).arg(counts.runs)));
    }

    void randomPrograms()
    {
        Counts counts;
        for (std::uint64_t seed = 0; seed < test::randomCases(std::uint64_t{ 40 }); ++seed) {
            const auto purpose = seed % 3 == 0 ? program_texts::Purpose::RunUneven : program_texts::Purpose::Run;
            Experiment experiment = experimentOfText(program_texts::write(program_texts::draft(seed, purpose), {}));
            experiment.title = "program " + std::to_string(seed);
            check({ experiment }, counts);
        }
        QVERIFY2(counts.plans > 0 && counts.runs > 0 && counts.exchanges > 0,
            qPrintable(QStringLiteral("%1 plans, %2 runs").arg(counts.plans).arg(counts.runs)));
    }
};

REGISTER_TEST(TestOneDeviceProgram)
#include "test_one_device_program.moc"

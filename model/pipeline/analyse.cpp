// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/analyse.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "base/codes.h"
#include "base/hash.h"
#include "experiment/builtin.h"
#include "experiment/mesh_order.h"
#include "partition/partition.h"
#include "pipeline/cache.h"
#include "pipeline/device_stages.h"
#include "pipeline/initial_setting.h"
#include "pipeline/memory_fixes.h"
#include "pipeline/memory_placement.h"
#include "pipeline/problems.h"
#include "pipeline/program_collectives.h"
#include "pipeline/program_layout.h"
#include "pipeline/tensor_rows.h"
#include "program/roles.h"
#include "program/step_state.h"
#include "propagation/import/constraints.h"
#include "propagation/strategy.h"
#include "schedule/plan.h"

namespace shardscope {

namespace {

class Stopwatch {
public:
    [[nodiscard]] StageTime lap(std::string stage, bool fromCache = false)
    {
        const auto now = std::chrono::steady_clock::now();
        const double seconds = std::chrono::duration<double>(now - m_start).count();
        m_start = now;
        return { std::move(stage), seconds, fromCache };
    }

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

void add(Hasher& hasher, const PartitionSpec& spec)
{
    hasher.add(spec.entries.size());
    for (const SpecEntry& entry : spec.entries) {
        hasher.add(entry.kind).add(entry.axes.size());
        for (const std::string& axis : entry.axes)
            hasher.add(axis);
    }
}

std::uint64_t hashOf(const ModelSetting& model)
{
    Hasher hasher;
    hasher.add(model.index());
    if (const auto* mlp = std::get_if<MlpModel>(&model)) {
        const MlpSettings& s = mlp->settings;
        hasher.add(s.layers).add(s.batch).add(s.embed).add(s.hidden).add(s.dtype).add(s.loss);
        hasher.add(s.adam.learningRate).add(s.adam.beta1).add(s.adam.beta2).add(s.adam.epsilon);
        hasher.add(s.inputGradient).add(s.trainStep).add(s.axes).add(s.yConstraint);
        for (const auto& [name, entry] : s.deviceAxes) {
            hasher.add(name);
            add(hasher, PartitionSpec{ { entry } });
        }
    } else if (const auto* program = std::get_if<ProgramModel>(&model)) {
        hasher.add(std::string_view(*program->text));
    } else {
        for (const NamedArraySetting& array : std::get<ArraysModel>(model).arrays) {
            hasher.add(array.path).add(array.dtype).add(array.shape.size());
            for (const std::int64_t size : array.shape)
                hasher.add(size);
            for (const LogicalName& name : array.names)
                hasher.add(name.kind).add(name.name);
        }
    }
    return hasher.value();
}

void add(Hasher& hasher, const AxisList& axes)
{
    hasher.add(axes.size());
    for (const AxisRef& ref : axes)
        hasher.add(ref.axis).add(ref.pre).add(ref.size);
}

void add(Hasher& hasher, const std::vector<std::optional<TensorSharding>>& shardings)
{
    for (const auto& sharding : shardings) {
        hasher.add(sharding.has_value());
        if (!sharding)
            continue;
        for (const DimensionSharding& dim : sharding->dims) {
            hasher.add(dim.open).add(dim.priority);
            add(hasher, dim.axes);
        }
        add(hasher, sharding->replicated);
        add(hasher, sharding->unreduced);
    }
}

void add(Hasher& hasher, const Mesh& mesh)
{
    for (const MeshAxis& axis : mesh.axes())
        hasher.add(axis.name).add(axis.size);
    for (const std::int32_t device : mesh.deviceOrder())
        hasher.add(device);
}

std::uint64_t hashOf(const AnnotationInput& input)
{
    Hasher hasher;
    hasher.add(reinterpret_cast<std::uintptr_t>(input.program.get()));
    add(hasher, input.mesh);
    add(hasher, input.shardings.arguments);
    add(hasher, input.shardings.results);
    add(hasher, input.shardings.constraints);
    return hasher.value();
}

std::uint64_t hashOf(const LayoutInput& input)
{
    Hasher hasher;
    hasher.add(reinterpret_cast<std::uintptr_t>(input.annotated.get()))
        .add(input.propagation.strategy)
        .add(input.propagation.conservative)
        .add(input.propagation.userPriorities)
        .add(input.onlyPropagate);
    return hasher.value();
}

/// The network over the snapshot's mesh, with its annotations inside.
ProgramPtr annotatedNetwork(const Snapshot& snapshot, AnalysisCache& cache)
{
    const Program& program = *snapshot.program;
    const auto shardingOf = [&](const ResolvedAnnotation& annotation) -> std::optional<TensorSharding> {
        if (!annotation.spec)
            return std::nullopt;
        return toTensorSharding(*annotation.spec, *snapshot.mesh, program.value(annotation.value).type.rank());
    };
    AnnotationInput input{ snapshot.program, *snapshot.mesh, {} };
    for (const ResolvedAnnotation& annotation : snapshot.annotations->arguments)
        input.shardings.arguments.push_back(shardingOf(annotation));
    for (const ResolvedAnnotation& annotation : snapshot.annotations->results)
        input.shardings.results.push_back(shardingOf(annotation));
    input.shardings.constraints.resize(program.operations.size());
    for (const ResolvedAnnotation& annotation : snapshot.annotations->constraints)
        input.shardings.constraints[annotation.operation.index] = shardingOf(annotation);

    auto& known = cache.impl().annotated;
    const std::uint64_t hash = hashOf(input);
    if (ProgramPtr found = known.find(hash, input))
        return found;
    auto made = std::make_shared<const Program>(annotatedProgram(program, snapshot.mesh, input.shardings));
    known.insert(hash, std::move(input), made, made->values.size());
    return made;
}

/// As much of prepareInPlace() as a network needs: it calls no functions and has no groups. A constant stays one for
/// all that use it.
ProgramPtr importedNetwork(const ProgramPtr& annotated, const PropagationSetting& setting)
{
    const auto asks = [](const Operation& operation) {
        const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes);
        return constraint && std::holds_alternative<GivenSharding>(constraint->annotation);
    };
    const std::vector<Operation>& operations = annotated->operations;
    if (setting.strategy != StrategyChoice::Full || std::none_of(operations.begin(), operations.end(), asks))
        return annotated;
    return std::make_shared<const Program>(passes::applyShardingConstraints(*annotated));
}

std::shared_ptr<const LayoutOutput> layOut(const LayoutInput& input, std::stop_token stop)
{
    auto output = std::make_shared<LayoutOutput>();
    Stopwatch watch;
    output->imported = importedNetwork(input.annotated, input.propagation);
    output->propagation = std::make_shared<const PropagationResult>(
        propagate({ output->imported, engineStrategy(input.propagation), engineOptions(input.propagation) }));
    output->times.push_back(watch.lap("propagate"));
    if (stop.stop_requested())
        return nullptr;
    if (input.onlyPropagate)
        return output;

    output->deviceStages = std::make_shared<const DeviceStages>(
        std::make_shared<const Program>(propagatedNetwork(*output->imported, *output->propagation)),
        DeviceStages::Shardings::Propagated, passes::PipelineOptions{},
        shownShardings(*output->imported, *output->propagation));
    const Result<DeviceStages::Sharded> sharded = output->deviceStages->sharded();
    output->times.push_back(watch.lap("partition"));
    if (!sharded) {
        output->error = sharded.error();
        return output;
    }
    output->collectives = std::make_shared<const CollectiveList>(collectivesOf(*sharded, input.program));
    if (stop.stop_requested())
        return nullptr;

    const Result<std::shared_ptr<const Plan>> plan = output->deviceStages->planned(
        StepState{ StateSource::Program, input.program->state }, keptValues(*input.program));
    output->times.push_back(watch.lap("schedule"));
    if (!plan)
        output->error = plan.error();
    else
        output->plan = *plan;
    return output;
}

/// For the cache. A device in a mesh takes some bytes, a value about a thousand.
std::size_t weightOf(const LayoutInput& input, const LayoutOutput& output)
{
    constexpr std::size_t devicesPerValue = 64;
    const std::size_t values =
        (output.collectives ? output.collectives->sharded->program : *input.program).values.size();
    return values + static_cast<std::size_t>(input.annotated->meshes.front().mesh->deviceCount()) / devicesPerValue;
}

void append(std::vector<Problem>& problems, std::vector<Problem> more)
{
    problems.insert(problems.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void sortProblems(std::vector<Problem>& problems)
{
    std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
        if (a.diagnostic.severity() != b.diagnostic.severity())
            return a.diagnostic.severity() < b.diagnostic.severity();
        return a.diagnostic.code < b.diagnostic.code;
    });
}

/// An array that does not divide is a fault of running: padded, it can still be looked at. So is one in a memory that
/// the devices lack. Other errors leave arrays of which nobody knows how they should be sharded.
bool canLayOut(const std::vector<Problem>& problems)
{
    return std::all_of(problems.begin(), problems.end(), [](const Problem& problem) {
        const Code code = problem.diagnostic.code;
        return problem.diagnostic.severity() != Severity::Error || code == Code::Indivisible
            || code == Code::UnknownMemoryKind;
    });
}

/// The plan with the memory that arrays of the host leave to the devices.
std::shared_ptr<const Plan> placedPlan(const Snapshot& snapshot, AnalysisCache& cache)
{
    PlacedPlanInput input{ snapshot.plan, hostArguments(snapshot) };
    if (std::find(input.hostArguments.begin(), input.hostArguments.end(), true) == input.hostArguments.end())
        return snapshot.plan;
    Hasher hasher;
    hasher.add(reinterpret_cast<std::uintptr_t>(input.plan.get()));
    for (const bool onHost : input.hostArguments)
        hasher.add(onHost);
    auto& plans = cache.impl().placedPlans;
    if (auto known = plans.find(hasher.value(), input))
        return known;
    auto made = std::make_shared<const Plan>(planWithoutHostArrays(*input.plan, input.hostArguments));
    const std::size_t weight = made->slots.size() + made->instructions.size();
    plans.insert(hasher.value(), std::move(input), made, weight);
    return made;
}

/// Runs the stages and fills the snapshot as far as they get. Returns false if stopped.
bool fill(Snapshot& snapshot, AnalysisCache& cache, std::stop_token stop, LastStage last)
{
    const Experiment& experiment = *snapshot.experiment;
    Stopwatch watch;

    // A program is read once, whatever shardings and sharding rules the experiment gives its values and operations.
    ModelSetting model = experiment.model;
    if (auto* program = std::get_if<ProgramModel>(&model)) {
        program->shardingRules.clear();
        program->shardings.clear();
    } else if (auto* arrays = std::get_if<ArraysModel>(&model)) {
        for (NamedArraySetting& array : arrays->arrays)
            array.memoryKind.reset(); // where an array lies changes neither the program nor its layout
    }
    const std::uint64_t modelHash = hashOf(model);
    std::shared_ptr<const BuiltProgram> built = cache.impl().programs.find(modelHash, model);
    const bool fromCache = built != nullptr;
    if (!built) {
        Result<BuiltProgram> made = buildProgram(experiment);
        if (!made) {
            snapshot.problems.push_back({ made.error(), {}, {} });
            return true;
        }
        built = std::make_shared<const BuiltProgram>(std::move(*made));
        cache.impl().programs.insert(modelHash, std::move(model), built, built->program.values.size());
    }
    snapshot.program = ProgramPtr(built, &built->program);
    for (const Diagnostic& warning : built->warnings)
        snapshot.problems.push_back({ warning, {}, {} });
    snapshot.times.push_back(watch.lap("build", fromCache));
    if (stop.stop_requested())
        return false;

    Result<OrderedMesh> ordered = orderedMesh(experiment.hardware.devices, experiment.mesh);
    if (!ordered) {
        snapshot.problems.push_back(orderProblem(experiment, std::move(ordered.error())));
        return true;
    }
    snapshot.orderReason = std::make_shared<const MeshReason>(std::move(ordered->reason));
    const Mesh* const mesh = &ordered->mesh;
    append(snapshot.problems, meshProblems(experiment, *mesh));
    if (snapshot.errorCount() > 0)
        return true;
    snapshot.mesh = std::make_shared<const Mesh>(*mesh);
    if (std::holds_alternative<ProgramModel>(experiment.model)) {
        const bool laidOut = layOutProgram(snapshot, cache, stop);
        snapshot.times.push_back(watch.lap("propagate"));
        return laidOut;
    }

    snapshot.annotations = annotate(*snapshot.program, *mesh, experiment);
    snapshot.annotated = annotatedNetwork(snapshot, cache);
    snapshot.mesh = snapshot.annotated->meshes.front().mesh;
    RuleCensus census = countRules(*snapshot.program, *snapshot.annotations, experiment.rules);
    std::vector<Problem> placement = placementProblems(experiment);
    if (!placement.empty()) {
        std::unordered_map<std::string_view, ValueId> arguments;
        for (const ValueId argument : snapshot.program->main().arguments)
            arguments.emplace(std::string_view(*snapshot.program->value(argument).path), argument);
        for (Problem& problem : placement)
            if (const auto found = arguments.find(problem.diagnostic.where.path); found != arguments.end())
                problem.values.push_back(found->second);
    }
    append(snapshot.problems, std::move(placement));
    append(snapshot.problems, annotationProblems(*snapshot.program, *mesh, *snapshot.annotations, census, experiment));
    snapshot.ruleUses = std::move(census.outer.rules);
    for (RuleCensus::List& list : census.inner)
        snapshot.innerRuleUses.push_back(std::move(list.rules));
    snapshot.namesWithoutRule = std::move(census.outer.namesWithoutRule);
    snapshot.times.push_back(watch.lap("annotate"));
    if (!canLayOut(snapshot.problems))
        return true;
    if (stop.stop_requested())
        return false;

    LayoutInput input{ snapshot.program, snapshot.annotated, experiment.propagation,
        last == LastStage::Propagation || snapshot.errorCount() > 0 };
    const std::uint64_t layoutHash = hashOf(input);
    std::shared_ptr<const LayoutOutput> layout = cache.impl().layouts.find(layoutHash, input);
    const bool laidOut = layout == nullptr;
    if (laidOut) {
        layout = layOut(input, stop);
        if (!layout)
            return false;
        const std::size_t weight = weightOf(input, *layout);
        cache.impl().layouts.insert(layoutHash, std::move(input), layout, weight);
    }
    for (StageTime time : layout->times) {
        time.fromCache = !laidOut;
        if (!laidOut)
            time.seconds = 0;
        snapshot.times.push_back(std::move(time));
    }
    static_cast<void>(watch.lap("layout"));
    snapshot.imported = layout->imported;
    snapshot.propagation = layout->propagation;
    snapshot.collectives = layout->collectives;
    snapshot.deviceStages = layout->deviceStages;
    snapshot.plan = layout->plan;
    if (layout->error)
        snapshot.problems.push_back({ *layout->error, {}, {} });

    if (snapshot.collectives)
        snapshot.sent = sentBytes(*snapshot.collectives);
    append(snapshot.problems, layoutProblems(snapshot));
    addTensorRows(snapshot);
    if (snapshot.plan) {
        snapshot.plan = placedPlan(snapshot, cache);
        std::vector<Problem> memory = memoryProblems(experiment, *snapshot.plan);
        for (Problem& problem : memory)
            problem.fixes = memoryFixes(snapshot, cache, stop);
        append(snapshot.problems, std::move(memory));
    }
    snapshot.times.push_back(watch.lap("summarise"));
    return !stop.stop_requested();
}

} // namespace

AnalysisCache::AnalysisCache()
    : m_impl(std::make_unique<Impl>())
{
}

AnalysisCache::~AnalysisCache() = default;

SnapshotPtr analyse(
    ExperimentPtr experiment, std::uint64_t revision, AnalysisCache& cache, std::stop_token stop, LastStage last)
{
    const auto begin = [&] {
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->revision = revision;
        snapshot->experiment = experiment;
        return snapshot;
    };
    try {
        const auto snapshot = begin();
        if (!fill(*snapshot, cache, stop, last))
            return nullptr;
        if (snapshot->program) {
            append(snapshot->problems, initialProblems(*experiment, *snapshot->program));
            append(snapshot->problems, stateProblems(*experiment, *snapshot->program));
        }
        sortProblems(snapshot->problems); // so that what is acknowledged stays in the order of its own codes
        acknowledgeKnown(*snapshot);
        sortProblems(snapshot->problems);
        return snapshot;
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) { // more elements than any memory has
    }
    // What had been worked out is gone, and what can be worked out again goes too.
    cache.impl().programs.clear();
    cache.impl().annotated.clear();
    cache.impl().layouts.clear();
    cache.impl().texts.clear();
    cache.impl().placedPlans.clear();
    const auto snapshot = begin();
    snapshot->problems.push_back({ Diagnostic{ Code::OutOfMemory, {}, {} }, {}, {} });
    return snapshot;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/analyse.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "analysis/idle_settings.h"
#include "analysis/initial_setting.h"
#include "analysis/problems.h"
#include "analysis/replicated_parameters.h"
#include "base/codes.h"
#include "base/meanwhile.h"
#include "experiment/mesh_order.h"
#include "pipeline/collective_list.h"
#include "pipeline/device_stages.h"
#include "pipeline/memory_placement.h"
#include "pipeline/stage_results.h"
#include "pipeline/stages.h"
#include "pipeline/tensor_rows.h"
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
bool canLayOut(std::span<const Problem> problems)
{
    return std::all_of(problems.begin(), problems.end(), [](const Problem& problem) {
        const Code code = problem.diagnostic.code;
        return problem.diagnostic.severity() != Severity::Error || code == Code::Indivisible || code == Code::AtomSplit
            || code == Code::UnknownMemoryKind;
    });
}

/// What memories arrays lie in, and what is wrong with that.
void addPlacement(Snapshot& snapshot)
{
    std::vector<Problem> placement = placementProblems(*snapshot.experiment);
    if (placement.empty())
        return;
    const Program& program = *snapshot.program;
    std::unordered_map<std::string_view, ValueId> arguments;
    for (const ValueId argument : program.main().arguments)
        arguments.emplace(std::string_view(*program.value(argument).path), argument);
    for (Problem& problem : placement)
        if (const auto found = arguments.find(problem.diagnostic.where.path); found != arguments.end())
            problem.values.push_back(found->second);
    append(snapshot.problems, std::move(placement));
}

/// CompiledProgram for a program that was partitioned over another number of devices.
std::optional<Error> wrongMesh(const SourceProgram& source, const Mesh& mesh)
{
    if (!source.isPartitioned() || source.partitionedOver->deviceCount() == mesh.deviceCount())
        return std::nullopt;
    return Error{ Code::CompiledProgram,
        { { "devices", source.partitionedOver->deviceCount() }, { "wanted", mesh.deviceCount() } }, {} };
}

/// What becomes of annotations, and how often each rule matters.
void addRules(Snapshot& snapshot)
{
    const Experiment& experiment = *snapshot.experiment;
    const Program& source = snapshot.source->program;
    RuleCensus census = countRules(source, *snapshot.annotations, experiment.rules);
    append(snapshot.problems, annotationProblems(source, *snapshot.mesh, *snapshot.annotations, census, experiment));
    snapshot.ruleUses = std::move(census.outer.rules);
    for (RuleCensus::List& list : census.inner)
        snapshot.innerRuleUses.push_back(std::move(list.rules));
    snapshot.namesWithoutRule = std::move(census.outer.namesWithoutRule);
}

/// What is to be seen of the layout alone: its problems and the rows of tensors.
void summariseLayout(Snapshot& snapshot, AnalysisCache& cache, const std::stop_token& stop, LastStage last)
{
    if (last == LastStage::Summary && !snapshot.isPartitioned()) // what an axis is used for, collectives tell as well
        append(snapshot.problems, layoutProblems(snapshot));
    addTensorRows(snapshot);
    if (last == LastStage::Summary)
        append(snapshot.problems, replicatedParameterProblems(snapshot, cache, stop));
}

/// The stages that follow propagation, as far as they get. Of a large program the plan is made by another thread
/// while this one goes on with what does not need it.
bool addDeviceStages(
    Snapshot& snapshot, AnalysisCache& cache, Stopwatch& watch, const std::stop_token& stop, LastStage last)
{
    const DeviceStages& stages = *snapshot.deviceStages;
    const bool known = stages.isPlanned();
    bool hasCollectives = true;
    if (last == LastStage::Summary) {
        const Result<std::shared_ptr<const CollectiveList>> collectives = collectivesOf(snapshot);
        snapshot.times.push_back(watch.lap("partition", known));
        hasCollectives = collectives.has_value();
        if (collectives) {
            snapshot.collectives = *collectives;
            snapshot.sent = sentBytes(**collectives);
        } else {
            snapshot.notPlanned = collectives.error();
        }
        if (stop.stop_requested())
            return false;
    }
    const auto plan = [&stages, known] {
        Stopwatch own;
        Result<DeviceStages::PlanPtr> made = stages.planned();
        return std::pair(std::move(made), own.lap("schedule", known));
    };
    std::future<std::invoke_result_t<decltype(plan)>> planning;
    if (hasCollectives)
        planning = meanwhile(!known && snapshot.program->values.size() >= largeForThreads, plan);
    summariseLayout(snapshot, cache, stop, last);
    StageTime summary = watch.lap("summarise");
    if (hasCollectives) {
        auto [made, time] = planning.get();
        if (made)
            snapshot.plan = *made;
        else
            snapshot.notPlanned = made.error();
        snapshot.times.push_back(std::move(time));
    }
    snapshot.times.push_back(std::move(summary));
    return !stop.stop_requested();
}

/// Runs the stages and fills the snapshot as far as they get. Returns false if stopped.
bool fill(Snapshot& snapshot, AnalysisCache& cache, const std::stop_token& stop, LastStage last)
{
    const Experiment& experiment = *snapshot.experiment;
    Stopwatch watch;
    bool fromCache = false;
    Result<SourcePtr> source = build(experiment, cache, fromCache);
    if (!source) {
        snapshot.problems.push_back({ std::move(source.error()), {}, {} });
        return true;
    }
    snapshot.source = *source;
    snapshot.program = ProgramPtr(*source, &(*source)->program);
    for (const Diagnostic& warning : (*source)->warnings)
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
    append(snapshot.problems, meshProblems(experiment, ordered->mesh));
    if (snapshot.errorCount() > 0)
        return true;
    if (std::optional<Error> wrong = wrongMesh(*snapshot.source, ordered->mesh)) {
        snapshot.problems.push_back({ std::move(*wrong), {}, {} });
        return true;
    }
    snapshot.mesh = std::make_shared<const Mesh>(std::move(ordered->mesh));

    std::shared_ptr<const AnnotatedStage> annotated = annotate(snapshot, cache, fromCache);
    const bool legal = annotated->legal;
    const std::size_t ofProgram = snapshot.problems.size();
    addPlacement(snapshot);
    addRules(snapshot);
    const bool known = canLayOut(std::span(snapshot.problems).subspan(ofProgram));
    snapshot.times.push_back(watch.lap("annotate", fromCache));
    if (!legal || !known)
        return true;
    if (stop.stop_requested() || !layOut(snapshot, std::move(annotated), cache, stop, fromCache))
        return false;
    snapshot.times.push_back(watch.lap("propagate", fromCache));
    if (!snapshot.laidOut())
        return true;
    const bool goesOn = last != LastStage::Propagation && !firstError(snapshot);
    if (!goesOn) {
        summariseLayout(snapshot, cache, stop, last);
        snapshot.times.push_back(watch.lap("summarise"));
    }
    if (goesOn && !addDeviceStages(snapshot, cache, watch, stop, last))
        return false;
    // What XLA has compiled for other machines is to be looked at: it is no fault that it cannot be run here.
    if (snapshot.notPlanned && !(snapshot.isPartitioned() && snapshot.notPlanned->code == Code::NotExecutable))
        snapshot.problems.push_back({ *snapshot.notPlanned, {}, {} });
    if (snapshot.plan) {
        if (Result<std::shared_ptr<const Plan>> placed = snapshot.deviceStages->planned(hostArguments(snapshot)))
            snapshot.plan = *placed;
        append(snapshot.problems, memoryProblems(experiment, *snapshot.plan));
    }
    return !stop.stop_requested();
}

} // namespace

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
            append(snapshot->problems, idleSettings(*experiment));
            append(snapshot->problems, initialProblems(*experiment, *snapshot->program));
            append(snapshot->problems, stateProblems(*experiment, *snapshot->program));
        }
        sortProblems(snapshot->problems); // so that what is acknowledged stays in the order of its own codes
        acknowledgeKnown(*snapshot);
        sortProblems(snapshot->problems);
        cache.impl().count(snapshot->times);
        return snapshot;
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) { // more elements than any memory has
    }
    // What had been worked out is gone, and what can be worked out again goes too.
    cache.impl().clear();
    const auto snapshot = begin();
    snapshot->problems.push_back({ Diagnostic{ Code::OutOfMemory, {}, {} }, {}, {} });
    return snapshot;
}

} // namespace shardscope

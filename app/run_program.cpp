// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/analyse.h"
#include "analysis/initial_setting.h"
#include "analysis/step_inputs.h"
#include "base/bytes.h"
#include "base/codes.h"
#include "base/text.h"
#include "command.h"
#include "document/array_file.h"
#include "experiment/network_edits.h"
#include "experiment_file/array_text.h"
#include "pipeline/program_collectives.h"
#include "pipeline/stage_results.h"
#include "program/device_counts.h"
#include "program/op_row.h"
#include "program/path.h"
#include "program_input.h"
#include "propagation/import/manual_regions.h"
#include "run_report.h"
#include "schedule/plan.h"
#include "simulate/run/memory.h"
#include "simulate/run/memory_needed.h"
#include "simulate/run/not_executable.h"
#include "simulate/run/own_random.h"

namespace shardscope::cli {

namespace {

void tellPhase(const RunCommandOptions& options, const QString& what, const QString& hint = {})
{
    if (options.onPhase)
        options.onPhase(what, hint);
}

/// What cannot be executed, each operation once.
std::vector<Diagnostic> refusals(const Program& program, const DeviceCounts& devices)
{
    std::vector<Diagnostic> found;
    for (const ValueId value : program.main().arguments) {
        const TensorType& type = program.value(value).type;
        if (!isTensor(type.dtype))
            found.push_back({ Code::NotExecutable,
                { { "op", "main" }, { "wrong", "type" },
                    { "type",
                        type.dtype == DType::Other && type.other < program.otherTypes.size()
                            ? program.otherTypes[type.other]
                            : toString(type) } },
                {} });
    }
    std::set<std::string> seen;
    std::vector<Diagnostic> all = passes::hasShardBoundaries(program)
        ? notExecutable(passes::importManualRegions(program), devices)
        : notExecutable(program, devices);
    for (Diagnostic& refused : all)
        if (seen.insert(refused.text("op") + refused.text("wrong") + refused.text("target")).second)
            found.push_back(std::move(refused));
    return found;
}

double fullBytes(const Program& program, const std::vector<ValueId>& values)
{
    double bytes = 0;
    for (const ValueId value : values)
        bytes += static_cast<double>(program.value(value).type.byteCount());
    return bytes;
}

std::string valueName(const Program& program, ValueId value)
{
    const std::string path = value.index < program.values.size() ? *program.value(value).path : std::string();
    return path.empty() ? std::string() : '%' + path;
}

/// Where NaN and infinity begin, as `watch` saw it.
void note(ProgramRun& run, const NonFiniteWatch& watch, words::Runs runs)
{
    const Program& program = (runs == words::Runs::Devices ? run.partitioned : run.unsharded)->device.program;
    for (const auto kind : { NonFiniteKind::NotANumber, NonFiniteKind::Infinity }) {
        const std::optional<NonFinite> found = watch.first(kind);
        if (!found)
            continue;
        const bool returned = std::any_of(run.first.outputs.begin(), run.first.outputs.end(),
            [&](const kernels::Array& array) { return firstNonFinite(array, kind) >= 0; });
        if (!found->produced && !returned && found->operation.valid())
            continue; // a constant of which nothing is left
        if (runs == words::Runs::Devices && !found->operation.valid()
            && std::any_of(run.nonFinite.begin(), run.nonFinite.end(),
                [&](const NonFiniteFinding& each) { return each.found.kind == kind; }))
            continue; // said of the reference already
        NonFiniteFinding finding{ *found, runs, {}, {}, {} };
        const bool isMade = found->operation.valid();
        const ValueId value = isMade ? program.operation(found->operation).results[found->index]
                                     : run.program().main().arguments[found->index];
        finding.value = valueName(run.program(), value);
        finding.index = indexOf(found->element, (isMade ? program : run.program()).value(value).type.shape);
        finding.sentence =
            words::nonFinite(program, *found, runs, QString::fromStdString(finding.value), finding.index);
        run.nonFinite.push_back(std::move(finding));
    }
}

/// Counts what the devices send each other. What was made for one exchange of the plan counts as that one.
class ExchangeCounter final : public Observer {
public:
    explicit ExchangeCounter(const DeviceProgram& device)
        : m_device(device)
    {
    }
    void computed(
        OperationId operation, std::int64_t device, std::span<const kernels::Array>, std::span<kernels::Array>) override
    {
        if (deviceExchange(m_device.program, m_device.program.operation(operation)))
            ++m_times[{ operation.index, device }];
    }
    [[nodiscard]] std::vector<Exchanged> take() const
    {
        std::map<std::uint32_t, std::int64_t> busiest; // by operation
        for (const auto& [place, times] : m_times)
            busiest[place.first] = std::max(busiest[place.first], times);
        std::vector<Exchanged> found;
        std::map<std::uint32_t, std::int64_t> counted; // by what it was made for
        for (const auto& [index, times] : busiest) {
            const OperationId id(static_cast<std::size_t>(index));
            const DeviceExchange exchange = *deviceExchange(m_device.program, m_device.program.operation(id));
            const auto origin = std::lower_bound(m_device.origins.begin(), m_device.origins.end(), id,
                [](const auto& pair, OperationId wanted) { return pair.first < wanted; });
            const bool isMade = origin != m_device.origins.end() && origin->first == id;
            std::int64_t& before = counted[isMade ? origin->second.index : index];
            auto line = std::find_if(
                found.begin(), found.end(), [&](const Exchanged& each) { return each.kind == exchange.kind; });
            if (line == found.end())
                line = found.insert(found.end(), { exchange.kind, 0, {} });
            line->times += std::max<std::int64_t>(times - before, 0);
            before = std::max(before, times);
            line->sentBytes += exchange.sentBytes * Rational(times);
        }
        std::sort(found.begin(), found.end(), [](const Exchanged& a, const Exchanged& b) { return a.kind < b.kind; });
        return found;
    }

private:
    const DeviceProgram& m_device;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> m_times; ///< by operation and device
};

/// The first step once more, operation by operation, in full and on the devices: what these exchange, and where NaN and
/// infinity begin. Returns the reference.
Result<Execution> observe(ProgramRun& run, const RunCommandOptions& options)
{
    const ProgramPtr& program = run.snapshot->annotated;
    double needed = 0;
    const double arrays =
        fullBytes(*program, program->main().arguments) + 2 * fullBytes(*program, program->main().results);
    for (const auto& parts : { run.unsharded, run.partitioned }) {
        if (!parts)
            continue;
        SHARDSCOPE_TRY(bytes, executionBytes(program, parts, executeOptions(options)));
        needed = std::max(needed, *bytes + arrays);
    }
    if (const std::int64_t limit = executeOptions(options).memoryLimit; needed > static_cast<double>(limit))
        return fail(Code::OutOfMemory,
            { { "bytes", toBytes(needed) }, { "limit", limit },
                { "alone_bytes", run.plan->memory.peakBytes * run.executed().mesh->deviceCount() } });
    const kernels::Arrays specified = run.starts.arrays.all();
    NonFiniteWatch inFull(run.unsharded->device);
    inFull.setArguments(specified);
    ExecuteOptions how = executeOptions(options, { &inFull });
    how.plainKernels = true;
    SHARDSCOPE_TRY(reference, execute(program, run.unsharded, specified, how));
    note(run, inFull, words::Runs::Reference);
    if (run.partitioned) {
        NonFiniteWatch watch(run.partitioned->device);
        watch.setArguments(specified);
        ExchangeCounter counter(run.partitioned->device);
        SHARDSCOPE_TRY(
            devices, execute(program, run.partitioned, specified, executeOptions(options, { &counter, &watch })));
        run.exchanged = counter.take();
        note(run, watch, words::Runs::Devices);
    }
    run.isObserved = true;
    return reference;
}

/// Takes the steps, the first one from the given arguments on, and further ones to be timed.
Result<void> takeSteps(ProgramRun& run, const RunCommandOptions& options)
{
    const RunSetting& setting = run.input.experiment.run;
    const Program& program = *run.snapshot->program;
    RunOptions how = stepOptions(run, options);
    how.reservedBytes = fullBytes(program, program.main().results) // of the first step, in full
        + (options.difference ? differenceBytes(*run.plan->program, run.state) : 0);
    auto created = Run::create(run.plan, how);
    if (!created) {
        std::erase_if(created.error().args, [](const Arg& arg) { return arg.name == "alone_bytes"; });
        return tl::unexpected<Error>(std::move(created.error()));
    }
    Run& steps = **created;
    run.threads = steps.threads();
    const StepFigureReader reader(*run.plan->program->program, run.state);
    const TwoStates states = options.difference.value_or(TwoStates());
    HeldState from, to;
    const auto hold = [&] {
        if (options.difference && steps.stepsDone() == states.from)
            from = heldState(steps, run.state);
        if (options.difference && steps.stepsDone() == states.to)
            to = heldState(steps, run.state);
    };
    hold();
    const std::int64_t count = std::max({ options.steps, std::int64_t{ 1 }, states.from, states.to });
    for (std::int64_t i = 0; i < count && !steps.stopped(); ++i) {
        tellPhase(options, QStringLiteral("step %1 of %2").arg(i + 1).arg(count));
        StepRecord record;
        record.wall = steps.step().wall;
        if (steps.stopped())
            break;
        hold();
        if (i == 0)
            run.first = resultsOf(steps, options.perDevice);
        static_cast<StepFigures&>(record) =
            options.norms ? reader.figures(steps) : StepFigures{ .loss = reader.loss(steps) };
        if (i < options.steps) {
            run.steps.push_back(record);
            if (options.onStep)
                options.onStep(record);
        }
    }
    if (options.difference && !steps.stopped())
        run.difference = stateDifference(*run.plan->program, run.state, to, from);
    for (ArrayDifference& each : run.difference)
        each.shards.clear();
    const bool isKnown = run.state.source != StateSource::None && !isGuess(run.state.source);
    if (options.timeit.value_or(isKnown) && !steps.stopped()) {
        const std::int64_t runs = options.runs > 0 ? options.runs : setting.runs;
        const std::int64_t loops = options.loops > 0 ? options.loops : setting.loops;
        tellPhase(options, QStringLiteral("timing %1 runs of %2 steps each").arg(runs).arg(loops));
        run.timing = timeit(steps, runs, loops);
    }
    if (const std::optional<Error> failure = steps.failure())
        return tl::unexpected(*failure);
    return {};
}

/// What is run: the program of every device where there is a mesh, else the program in full. The reference beside it.
std::vector<Diagnostic> prepare(ProgramRun& run)
{
    const Snapshot& snapshot = *run.snapshot;
    const bool isOverMesh = hasMesh(snapshot);
    const DeviceCounts counts =
        isOverMesh && !isOfOneDevice(snapshot) ? DeviceCounts() : devicesSpokenTo(run.program());
    bool isNews = false; // why it was not partitioned is not among the problems yet
    if (isOverMesh) {
        if (auto partitioned = partitionedProgram(snapshot)) {
            const std::vector<Diagnostic>& warnings = (*partitioned)->sharded->warnings;
            run.problems.insert(run.problems.end(), warnings.begin(), warnings.end());
            run.partitioned = std::move(*partitioned);
        } else {
            run.notPartitioned = std::move(partitioned.error());
            isNews = statusOf(run.problems) == Done;
        }
    }
    if (std::vector<Diagnostic> refused = refusals(run.program(), counts); !refused.empty())
        return refused;
    Result<DeviceStages::Partitioned> inFull = unshardedProgram(snapshot);
    if (!inFull)
        return { std::move(inFull.error()) };
    run.unsharded = std::move(*inFull);
    if (run.partitioned)
        if (auto refused =
                refusals(run.partitioned->device.program, { 1, run.partitioned->device.mesh->deviceCount() });
            !refused.empty()) {
            run.notPartitioned = std::move(refused.front());
            run.partitioned.reset();
            isNews = true;
        }
    if (isNews)
        run.problems.push_back(*run.notPartitioned);
    Result<std::shared_ptr<const Plan>> plan = run.partitioned ? plannedProgram(snapshot) : plannedInFull(snapshot);
    if (!plan && plan.error().code == Code::TooLarge) // for any plan, and for this machine all the more
        return { runOutOfMemory(plan.error(), run.executed().mesh->deviceCount(), RunOptions()) };
    if (!plan)
        return { std::move(plan.error()) };
    run.plan = std::move(*plan);
    if (run.partitioned)
        run.deviceProgram = hash(run.partitioned->device.program);
    if (!run.notPartitioned) { // without a mesh: those of one device, as every command has them
        run.memory = plannedMemory(run.partitioned || !snapshot.plan ? *run.plan : *snapshot.plan);
        run.collectives = collectivesOf(snapshot).value_or(nullptr);
    }
    return {};
}

/// The text of the state without the variables that one of the globs names. Errors: UnknownValue for a glob that names
/// none.
Result<std::string> withoutFrozen(
    const Program& program, const std::string& text, const std::vector<std::string>& globs)
{
    StepState state = stateOf(program, text);
    for (const std::string& glob : globs) {
        const std::size_t before = state.pairs.size();
        std::erase_if(state.pairs, [&](const StatePair& pair) {
            return globMatches(glob, *program.value(pair.argument).path)
                || globMatches(glob, "arg" + std::to_string(program.value(pair.argument).index));
        });
        if (state.pairs.size() < before)
            continue;
        std::vector<std::string> known;
        for (const StatePair& pair : state.pairs)
            known.push_back(*program.value(pair.argument).path);
        return tl::unexpected(unknownValue("--freeze", glob, std::move(known)));
    }
    return stateText(program, state);
}

/// Where there are no operations. That a training run needs some is said of its input.
void refuseOptionsOfSteps(const RunCommandOptions& options)
{
    const std::pair<const char*, bool> ofSteps[] = { { "--steps", options.steps > 1 && !options.needsState },
        { "--calls", options.calls > 0 }, { "--jit", !options.jit.empty() }, { "--out", !options.out.empty() },
        { "--trace", !options.trace.empty() } };
    for (const auto& [option, isStated] : ofSteps)
        if (isStated)
            throw UsageError(option, "is of a step, and there are no operations here, so that there is no step to run");
}

/// What of the options does not fit the program.
std::vector<Diagnostic> misfits(
    const RunCommandOptions& options, const std::vector<std::string>& init, const Program& program)
{
    if (auto checked = checkChosen(program, init); !checked)
        return { std::move(checked.error()) };
    if (options.state.empty())
        return {};
    if (auto stated = parseState(program, options.state); !stated) {
        stated.error().where.file = "--state";
        return { std::move(stated.error()) };
    }
    return {};
}

} // namespace

std::optional<TwoStates> twoStatesOf(const std::string& text)
{
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos)
        return std::nullopt;
    const auto from = wholeNumber<std::int64_t>(text.substr(0, comma)),
               to = wholeNumber<std::int64_t>(text.substr(comma + 1));
    if (!from || !to || *from < 0 || *to < 0 || std::max(*from, *to) > maxSteps)
        return std::nullopt;
    return TwoStates{ *from, *to };
}

std::int64_t ProgramRun::failedExpectations() const
{
    return std::count_if(
        first.findings.begin(), first.findings.end(), [](const ExpectationFinding& each) { return !each.passed(); });
}

int ProgramRun::status() const
{
    const bool isFinding = statusOf(problems) != Done || notPartitioned || checkRefused || failedExpectations() > 0
        || (check && !check->passed());
    return isFinding ? Findings : Done;
}

ExecuteOptions executeOptions(const RunCommandOptions& options, std::vector<Observer*> observers)
{
    ExecuteOptions how;
    how.threads = options.threads;
    how.memoryLimit = memoryLimit(RunOptions());
    how.maximumTrips = options.loopLimit;
    how.observers = std::move(observers);
    return how;
}

RunOptions stepOptions(const ProgramRun& run, const RunCommandOptions& options)
{
    RunOptions how;
    how.threads = options.threads;
    how.replicas = run.input.experiment.run.shareReplicas ? ReplicaMode::Shared : ReplicaMode::Own;
    how.maximumTrips = options.loopLimit;
    how.initial = run.starts.initial;
    return how;
}

tl::expected<ProgramRun, Refused> runProgram(const RunCommandOptions& options)
{
    ProgramRun run;
    const auto refused = [&](std::vector<Diagnostic> why, int status) {
        return tl::unexpected(Refused{ inFile(std::move(why), run.input), status });
    };
    tellPhase(options, QStringLiteral("reading %1").arg(QString::fromStdString(shownName(options.file))));
    auto input = loadExperiment(options.file);
    if (!input)
        return tl::unexpected(Refused{ std::move(input.error()), BadInput });
    run.input = std::move(*input);
    Experiment& experiment = run.input.experiment;
    const std::vector<std::string> init = byNumber(experiment, options.init);
    if (auto chosen = choose(experiment, init); !chosen)
        return refused({ std::move(chosen.error()) }, BadInput);
    experiment.run.seed = options.seed.value_or(experiment.run.seed);
    if (!options.state.empty())
        experiment.run.state = options.state;
    if (options.initialise) {
        auto initializer = withNetworkProgram(experiment, NetworkProgram::Initializer);
        if (!initializer)
            throw UsageError("--initialise", "is for networks, which have an initializer");
        experiment = std::move(*initializer);
    }
    tellPhase(options, QStringLiteral("propagating shardings and planning the step"));
    AnalysisCache cache;
    const auto subject = std::make_shared<const Experiment>(experiment);
    for (std::int64_t i = 0; i < std::max<std::int64_t>(options.calls, 1); ++i)
        run.snapshot = shardscope::analyse(subject, 1, cache);
    if (options.calls > 0)
        run.stages = cache.counts();
    if (!options.freeze.empty() && run.snapshot->program) {
        auto state = withoutFrozen(*run.snapshot->program, experiment.run.state, options.freeze);
        if (!state)
            return refused({ std::move(state.error()) }, BadInput);
        experiment.run.state = std::move(*state);
        run.snapshot = shardscope::analyse(std::make_shared<const Experiment>(experiment), 1, cache);
    }
    const Snapshot& snapshot = *run.snapshot;
    if (!snapshot.ok())
        if (std::vector<Diagnostic> illegal = illegalities(run.input); !illegal.empty())
            return refused(std::move(illegal), BadInput);
    if (snapshot.program)
        if (std::vector<Diagnostic> wrong = misfits(options, init, *snapshot.program); !wrong.empty())
            return refused(std::move(wrong), BadInput);
    run.problems = allProblems(run.input, snapshot);
    // That it is laid out and not trained is no finding. Simulated devices have one memory: what lies in two can be
    // run.
    std::erase_if(run.problems, [](const Diagnostic& problem) { return problem.code == Code::ProgramNotRun; });
    if (!snapshot.ok())
        return refused(std::move(run.problems), Findings);
    const Region& main = run.program().main();
    const bool hasStep = !main.operations.empty() || !main.results.empty();
    if (!hasStep)
        refuseOptionsOfSteps(options);
    if (std::optional<Diagnostic> random = ownRandomNumbers(run.program()))
        run.problems.push_back(std::move(*random));
    if (!options.out.empty())
        (void)outputFiles(run.program(), options.out);
    if (!options.jit.empty()) {
        auto parts = compiledParts(snapshot, options.jit, cache);
        if (!parts)
            return refused({ std::move(parts.error()) }, BadInput);
        run.parts = std::move(*parts);
    }

    if (hasStep) {
        tellPhase(options, QStringLiteral("compiling the step for every device"));
        if (std::vector<Diagnostic> wrong = prepare(run); !wrong.empty())
            return refused(std::move(wrong), Findings);
        run.state = stateOf(run.program(), experiment.run.state);
        if (options.steps > 1 && run.state.pairs.empty() && !options.needsState)
            throw UsageError("--steps",
                "is for programs whose steps follow each other, and no result of this one is known to be an argument "
                "of its next step; name them with --state");
        if (options.needsState && run.state.pairs.empty())
            throw UsageError("FILE",
                "is no step to train: no result of this program is known to be an argument of its next step; name "
                "them with --state");
    }
    if (options.difference && run.state.pairs.empty())
        throw UsageError("--difference",
            "is of the state of a step, and no result of this program is known to be an argument of its next step; "
            "name them with --state");
    run.problems = inFile(std::move(run.problems), run.input);
    InitialValues initial = initialValuesOf(snapshot);
    if (options.text) {
        auto batches = textInputs(run.program(), experiment, *options.text);
        if (!batches)
            return refused({ std::move(batches.error()) }, BadInput);
        if (batches->empty() && options.needsTokens)
            throw UsageError("--text", "is for transformers; this model has no tokens");
        initial.perStep = std::move(*batches);
    }
    if (auto read = readInitialFiles(initial, run.program(), folderOf(QString::fromStdString(options.file))); !read)
        return refused({ std::move(read.error()) }, BadInput);
    auto starts = startsOf(run.program(), options.inputs, std::move(initial), options.inputs.empty() || options.seed);
    if (!starts)
        return refused({ std::move(starts.error()) }, BadInput);
    run.starts = std::move(*starts);
    if (!hasStep) {
        if (const Result<std::uint64_t> hash = deviceProgramHash(snapshot))
            run.deviceProgram = *hash;
        return run;
    }

    if (const Result<void> done = takeSteps(run, options); !done)
        return refused({ done.error() }, Findings);
    const bool isStrange = std::any_of(run.first.outputs.begin(), run.first.outputs.end(), [](const auto& array) {
        return firstNonFinite(array, NonFiniteKind::NotANumber) >= 0
            || firstNonFinite(array, NonFiniteKind::Infinity) >= 0;
    });
    if (!options.check && !isStrange)
        return run;
    const auto refuseCheck = [&](Error why) { run.checkRefused = inFile({ std::move(why) }, run.input).front(); };
    const QString hint = isStrange ? QString() : QStringLiteral("--no-check leaves it out");
    tellPhase(options, QStringLiteral("the first step once more, in full and operation by operation, as the reference"),
        hint);
    Result<Execution> reference = observe(run, options);
    if (!reference) {
        refuseCheck(std::move(reference.error()));
    } else if (options.check && isOfOneDevice(snapshot)) {
        run.notCompared = NotCompared::OfOneDevice;
    } else if (options.check && !run.partitioned) {
        run.notCompared = run.notPartitioned ? NotCompared::NotPartitioned : NotCompared::OneDevice;
    } else if (options.check) {
        tellPhase(options, QStringLiteral("comparing all arrays with the reference"), hint);
        if (Result<CheckReport> check = checkAgainstReference(run.plan->program, stepOptions(run, options)))
            run.check = std::move(*check);
        else
            refuseCheck(std::move(check.error()));
    }
    if (run.checkRefused)
        run.problems.push_back(*run.checkRefused);
    return run;
}

} // namespace shardscope::cli

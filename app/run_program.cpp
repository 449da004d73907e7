// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <algorithm>
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
#include "pipeline/stage_results.h"
#include "program/device_counts.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/path.h"
#include "program_input.h"
#include "propagation/import/manual_regions.h"
#include "run_observation.h"
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

/// Whether all that is refused are collectives over more devices than the one that the reference has.
bool needsDevices(const std::vector<Diagnostic>& refused)
{
    return std::all_of(refused.begin(), refused.end(), [](const Diagnostic& each) {
        return each.text("wrong") == "groups" && each.number("devices") == 1 && !each.arg("missing");
    });
}

/// The first collective outside of manual computations that names no groups, as refusals() would have it: over all
/// devices it is another one than over the one of the reference.
std::optional<Diagnostic> overAllDevices(const Program& program)
{
    for (const OperationId id : program.main().operations) {
        const Operation& operation = program.operation(id);
        const auto* own = attributesAs<CollectiveAttributes>(operation.attributes);
        if (own && isExchange(operation.kind) && operation.kind != OpKind::CollectivePermute && own->groups.empty()
            && (own->channelId > 0 || own->useGlobalDeviceIds))
            return Diagnostic{ Code::NotExecutable,
                { { "op", qualifiedName(operation) }, { "wrong", "groups" }, { "device", 1 }, { "devices", 1 } },
                placeOf(program, operation) };
    }
    return {};
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
        isOverMesh && !isOfOneDevice(snapshot) ? DeviceCounts() : addressedDevices(run.program());
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
    std::vector<Diagnostic> refused = refusals(run.program(), counts);
    if (run.partitioned && run.partitioned->device.mesh->deviceCount() > 1)
        if (std::optional<Diagnostic> collective = overAllDevices(run.program()))
            refused = { std::move(*collective) };
    if (!refused.empty()) {
        if (!run.partitioned || !needsDevices(refused))
            return refused;
        run.checkRefused = std::move(refused.front());
        run.checkRefused->args.emplace_back("reference", 1);
    } else {
        Result<DeviceStages::Partitioned> inFull = unshardedProgram(snapshot);
        if (!inFull)
            return { std::move(inFull.error()) };
        run.unsharded = std::move(*inFull);
    }
    if (run.partitioned)
        if (auto onDevices =
                refusals(run.partitioned->device.program, { 1, run.partitioned->device.mesh->deviceCount() });
            !onDevices.empty()) {
            if (!run.unsharded)
                return onDevices;
            run.notPartitioned = std::move(onDevices.front());
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

// The stages of runProgram(). Each fills its part of the run, or returns why the program cannot be run.
using Stage = tl::expected<void, Refused>;

tl::unexpected<Refused> refused(const ProgramRun& run, std::vector<Diagnostic> why, int status)
{
    return tl::unexpected(Refused{ inFile(std::move(why), run.input), status });
}

/// Reads the experiment and enters what the options choose. Returns the choices of --init, which go by the numbers of
/// arguments now where they went by their locations.
tl::expected<std::vector<std::string>, Refused> readInput(ProgramRun& run, const RunCommandOptions& options)
{
    tellPhase(options, QStringLiteral("reading %1").arg(QString::fromStdString(shownName(options.file))));
    auto input = loadExperiment(options.file);
    if (!input)
        return tl::unexpected(Refused{ std::move(input.error()), BadInput });
    run.input = std::move(*input);
    Experiment& experiment = run.input.experiment;
    std::vector<std::string> init = byNumber(experiment, options.init);
    if (auto chosen = choose(experiment, init); !chosen)
        return refused(run, { std::move(chosen.error()) }, BadInput);
    experiment.run.seed = options.seed.value_or(experiment.run.seed);
    if (!options.state.empty())
        experiment.run.state = options.state;
    if (!options.initialise)
        return init;
    auto initializer = withNetworkProgram(experiment, NetworkProgram::Initializer);
    if (!initializer)
        throw UsageError("--initialise", "is for networks, which have an initializer");
    experiment = std::move(*initializer);
    return init;
}

/// Analyses the experiment, as often as --calls says, and once more without the state that --freeze takes out. `init`
/// are the choices that readInput() returned.
Stage analyseInput(
    ProgramRun& run, const RunCommandOptions& options, const std::vector<std::string>& init, AnalysisCache& cache)
{
    tellPhase(options, QStringLiteral("propagating shardings and planning the step"));
    Experiment& experiment = run.input.experiment;
    const auto subject = std::make_shared<const Experiment>(experiment);
    for (std::int64_t i = 0; i < std::max<std::int64_t>(options.calls, 1); ++i)
        run.snapshot = shardscope::analyse(subject, 1, cache);
    if (options.calls > 0)
        run.stages = cache.counts();
    if (!options.freeze.empty() && run.snapshot->program) {
        auto state = withoutFrozen(*run.snapshot->program, experiment.run.state, options.freeze);
        if (!state)
            return refused(run, { std::move(state.error()) }, BadInput);
        experiment.run.state = std::move(*state);
        run.snapshot = shardscope::analyse(std::make_shared<const Experiment>(experiment), 1, cache);
    }
    const Snapshot& snapshot = *run.snapshot;
    if (!snapshot.ok())
        if (std::vector<Diagnostic> illegal = illegalities(run.input); !illegal.empty())
            return refused(run, std::move(illegal), BadInput);
    if (snapshot.program)
        if (std::vector<Diagnostic> wrong = misfits(options, init, *snapshot.program); !wrong.empty())
            return refused(run, std::move(wrong), BadInput);
    run.problems = allProblems(run.input, snapshot);
    // This command runs the program, so that it is only laid out is no finding.
    std::erase_if(run.problems, [](const Diagnostic& problem) { return problem.code == Code::ProgramNotRun; });
    if (!snapshot.ok())
        return refused(run, std::move(run.problems), Findings);
    return {};
}

/// Partitions and plans the step, and finds its state.
Stage prepareStep(ProgramRun& run, const RunCommandOptions& options)
{
    tellPhase(options, QStringLiteral("compiling the step for every device"));
    if (std::vector<Diagnostic> wrong = prepare(run); !wrong.empty())
        return refused(run, std::move(wrong), Findings);
    run.state = stateOf(run.program(), run.input.experiment.run.state);
    if (options.steps > 1 && run.state.pairs.empty() && !options.needsState)
        throw UsageError("--steps",
            "is for programs whose steps follow each other, and no result of this one is known to be an argument "
            "of its next step; name them with --state");
    if (options.needsState && run.state.pairs.empty())
        throw UsageError(shownName(options.file),
            "is no step to train: no result of this program is known to be an argument of its next step; name "
            "them with --state");
    return {};
}

/// Finds or makes the arrays that the first step begins with.
Stage prepareArguments(ProgramRun& run, const RunCommandOptions& options)
{
    InitialValues initial = initialValuesOf(*run.snapshot);
    if (options.text) {
        auto batches = textInputs(run.program(), run.input.experiment, *options.text);
        if (!batches)
            return refused(run, { std::move(batches.error()) }, BadInput);
        if (batches->empty() && options.needsTokens)
            throw UsageError("--text", "is for transformers; this model has no tokens");
        initial.perStep = std::move(*batches);
    }
    if (auto read = readInitialFiles(initial, run.program(), folderOf(QString::fromStdString(options.file))); !read)
        return refused(run, { std::move(read.error()) }, BadInput);
    const Program& laidOut = *run.snapshot->program; // roles, which decide what an argument begins with, are known here
    auto starts = startsOf(laidOut, options.inputs, std::move(initial), options.inputs.empty() || options.seed);
    if (!starts)
        return refused(run, { std::move(starts.error()) }, BadInput);
    run.starts = std::move(*starts);
    return {};
}

/// Executes the first step once more as the reference, and compares all arrays with it if asked to.
void checkFirstStep(ProgramRun& run, const RunCommandOptions& options)
{
    const bool isStrange = std::any_of(run.first.outputs.begin(), run.first.outputs.end(), [](const auto& array) {
        return firstNonFinite(array, NonFiniteKind::NotANumber) >= 0
            || firstNonFinite(array, NonFiniteKind::Infinity) >= 0;
    });
    if (!options.check)
        run.checkRefused.reset();
    if (!options.check && !isStrange)
        return;
    const auto refuseCheck = [&](Error why) { run.checkRefused = inFile({ std::move(why) }, run.input).front(); };
    const QString hint = isStrange ? QString() : QStringLiteral("--no-check leaves it out");
    tellPhase(options,
        run.unsharded ? QStringLiteral("the first step once more, in full and operation by operation, as the reference")
                      : QStringLiteral("the first step once more, operation by operation"),
        hint);
    if (Result<void> observed = observe(run, options); !observed) {
        refuseCheck(std::move(observed.error()));
    } else if (run.checkRefused) {
        refuseCheck(*run.checkRefused);
    } else if (options.check && isOfOneDevice(*run.snapshot)) {
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
}

} // namespace

tl::expected<ProgramRun, Refused> runProgram(const RunCommandOptions& options)
{
    ProgramRun run;
    AnalysisCache cache;
    const auto init = readInput(run, options);
    if (!init)
        return tl::unexpected(init.error());
    if (Stage analysed = analyseInput(run, options, *init, cache); !analysed)
        return tl::unexpected(std::move(analysed.error()));
    const Region& main = run.program().main();
    const bool hasStep = !main.operations.empty() || !main.results.empty();
    if (!hasStep)
        refuseOptionsOfSteps(options);
    if (std::optional<Diagnostic> random = ownRandomNumbers(run.program()))
        run.problems.push_back(std::move(*random));
    if (!options.out.empty())
        (void)outputFiles(run.program(), options.out); // throws before anything is run
    if (!options.jit.empty()) {
        auto parts = compiledParts(*run.snapshot, options.jit, cache);
        if (!parts) {
            for (Arg& each : parts.error().args)
                if (each.name == "key")
                    each.value = "--jit";
            return refused(run, { std::move(parts.error()) }, BadInput);
        }
        run.parts = std::move(*parts);
    }
    if (hasStep)
        if (Stage prepared = prepareStep(run, options); !prepared)
            return tl::unexpected(std::move(prepared.error()));
    if (options.difference && run.state.pairs.empty())
        throw UsageError("--difference",
            "is of the state of a step, and no result of this program is known to be an argument of its next step; "
            "name them with --state");
    run.problems = inFile(std::move(run.problems), run.input);
    if (Stage prepared = prepareArguments(run, options); !prepared)
        return tl::unexpected(std::move(prepared.error()));
    if (!hasStep) {
        if (const Result<std::uint64_t> hash = deviceProgramHash(*run.snapshot))
            run.deviceProgram = *hash;
        return run;
    }
    if (const Result<void> done = takeSteps(run, options); !done)
        return refused(run, { done.error() }, Findings);
    checkFirstStep(run, options);
    findDivergence(run, options);
    return run;
}

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_program.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

#include "analysis/initial_setting.h"
#include "base/bytes.h"
#include "base/codes.h"
#include "command.h"
#include "document/array_file.h"
#include "document/atomic_file.h"
#include "document/program_file.h"
#include "experiment/builtin.h"
#include "experiment_file/array_text.h"
#include "input.h"
#include "interchange/npy.h"
#include "partition/unsharded.h"
#include "pipeline/program_collectives.h"
#include "pipeline/stage_results.h"
#include "program/memory_kinds.h"
#include "program/name_values.h"
#include "program/op_row.h"
#include "program/over_mesh.h"
#include "program/step_state.h"
#include "program_input.h"
#include "propagation/passes/passes.h"
#include "run_report.h"
#include "schedule/plan.h"
#include "simulate/check/rounding_noise.h"
#include "simulate/collectives/collective_groups.h"
#include "simulate/run/execute.h"
#include "simulate/run/memory.h"
#include "simulate/run/not_executable.h"
#include "simulate/run/run.h"

namespace shardscope::cli {

namespace {

/// Those that the attributes of the module speak of.
DeviceCounts devicesOf(const Program& program)
{
    DeviceCounts counts;
    for (const NamedText& entry : program.dictionaries[program.extra])
        if (entry.name == "mhlo.num_partitions" || entry.name == "mhlo.num_replicas") {
            std::int64_t count = 1;
            (void)std::from_chars(entry.text.data(), entry.text.data() + entry.text.size(), count);
            (entry.name == "mhlo.num_replicas" ? counts.replicas : counts.partitions) =
                std::max<std::int64_t>(count, 1);
        }
    return saturatingProduct(counts.replicas, counts.partitions) <= 65536 ? counts : DeviceCounts();
}

bool speaksToDevices(const Program& program)
{
    return std::any_of(program.operations.begin(), program.operations.end(),
        [](const Operation& operation) { return isExchange(operation.kind); });
}

/// What cannot be executed, each operation once.
std::vector<Diagnostic> refusals(const Program& program, const DeviceCounts& devices)
{
    std::vector<Diagnostic> found;
    for (const ValueId value : program.main().arguments) {
        const TensorType& type = program.value(value).type;
        if (!isTensor(type.dtype) || isComplex(type.dtype))
            found.push_back({ Code::NotExecutable,
                { { "op", "main" }, { "wrong", isComplex(type.dtype) ? "complex" : "type" },
                    { "type",
                        type.dtype == DType::Other && type.other < program.otherTypes.size()
                            ? program.otherTypes[type.other]
                            : toString(type) } },
                {} });
    }
    std::set<std::string> seen;
    for (Diagnostic& refused : notExecutable(program, devices))
        if (seen.insert(refused.text("op") + refused.text("wrong") + refused.text("target")).second)
            found.push_back(std::move(refused));
    return found;
}

/// What every execution of a run is held to.
struct Limits {
    std::int64_t memory = 0;
    std::int64_t trips = defaultTrips;
};

ExecuteOptions executeOptions(const ProgramRunOptions& options, const Limits& limits, std::vector<Observer*> observers)
{
    ExecuteOptions how;
    how.threads = options.threads;
    how.memoryLimit = limits.memory;
    how.maximumTrips = limits.trips;
    how.observers = std::move(observers);
    return how;
}

ExecuteOptions referenceOptions(
    const ProgramRunOptions& options, const Limits& limits, std::vector<Observer*> observers)
{
    ExecuteOptions how = executeOptions(options, limits, std::move(observers));
    how.plainKernels = true;
    return how;
}

/// Arguments and results in full, and the larger of the two executions. Errors: those of executionBytes().
Result<double> bytesNeeded(
    const ProgramRun& run, bool withReference, const ProgramRunOptions& options, const Limits& limits)
{
    const auto sum = [](const Program& program, const std::vector<ValueId>& values) {
        double bytes = 0;
        for (const ValueId value : values)
            bytes += static_cast<double>(program.value(value).type.byteCount());
        return bytes;
    };
    const Region& main = run.named->main();
    double largest = 0;
    for (const auto* parts : { &run.partitioned, &run.unsharded }) {
        if (!*parts || (*parts == run.unsharded && !withReference))
            continue;
        const Result<double> bytes = executionBytes(run.named, *parts, executeOptions(options, limits, {}));
        if (!bytes)
            return bytes;
        largest = std::max(largest, *bytes);
    }
    return sum(*run.named, main.arguments) + 2 * sum(*run.named, main.results) + largest;
}

std::string nameOf(const Program& named, ValueId value)
{
    const std::string& path = *named.value(value).path;
    return path.empty() ? "a value" : '%' + path;
}

void note(ProgramRun& run, const kernels::NonFiniteWatch& watch, words::Runs runs)
{
    const Program& program = (runs == words::Runs::Devices ? run.partitioned : run.unsharded)->device.program;
    for (const auto kind : { kernels::NonFiniteKind::NotANumber, kernels::NonFiniteKind::Infinity }) {
        const std::optional<kernels::NonFinite>& found = watch.first(kind);
        if (!found)
            continue;
        const bool returned = std::any_of(run.results().begin(), run.results().end(),
            [&](const kernels::Array& array) { return kernels::firstNonFinite(array, kind) >= 0; });
        if (!found->produced && !returned && found->operation.valid())
            continue; // a constant of which nothing is left
        if (runs == words::Runs::Devices && !found->operation.valid()
            && std::any_of(run.nonFinite.begin(), run.nonFinite.end(),
                [&](const NonFiniteFinding& each) { return each.found.kind == kind; }))
            continue; // said of the reference already
        NonFiniteFinding finding{ *found, runs, {}, {}, {} };
        const ValueId value = found->operation.valid() ? program.operation(found->operation).results[found->index]
                                                       : run.named->main().arguments[found->index];
        finding.value = value.index < run.named->values.size() ? nameOf(*run.named, value) : "a value";
        finding.index = indexOf(found->element,
            found->operation.valid() ? program.value(value).type.shape : run.named->value(value).type.shape);
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

/// Runs the reference, the program of the devices, and what tells where they differ.
Result<void> execute(ProgramRun& run, const ProgramRunOptions& options, const Limits& limits)
{
    if (options.check || !run.partitioned) {
        kernels::NonFiniteWatch watch(run.unsharded->device);
        watch.given(run.inputs.arrays);
        auto done = execute(run.named, run.unsharded, run.inputs.arrays, referenceOptions(options, limits, { &watch }));
        if (!done)
            return tl::unexpected(done.error());
        run.reference = std::move(*done);
        note(run, watch, words::Runs::Reference);
        if (!run.partitioned)
            return {};
    }
    kernels::NonFiniteWatch watch(run.partitioned->device);
    watch.given(run.inputs.arrays);
    ExchangeCounter counter(run.partitioned->device);
    auto done =
        execute(run.named, run.partitioned, run.inputs.arrays, executeOptions(options, limits, { &counter, &watch }));
    if (!done)
        return tl::unexpected(done.error());
    run.devices = std::move(*done);
    run.exchanged = counter.take();
    note(run, watch, words::Runs::Devices);
    ExecuteOptions planned = executeOptions(options, limits, {}); // what counts is the plan that steps are taken by
    planned.plain = false;
    done = execute(run.named, run.partitioned, run.inputs.arrays, planned);
    if (!done)
        return tl::unexpected(done.error());
    run.devices = std::move(*done);
    if (!options.check)
        return {};
    run.checked = true;
    const auto compare = [&](const kernels::Arrays* noisy) {
        run.comparisons.clear();
        for (std::size_t i = 0; i < run.devices->outputs.size(); ++i) {
            const kernels::Array& wanted = run.reference->outputs[i];
            run.comparisons.push_back(kernels::compareWithReference(
                run.devices->outputs[i], wanted, noisy ? kernels::sensitivityOf(wanted, (*noisy)[i]) : 0));
        }
        return std::all_of(run.comparisons.begin(), run.comparisons.end(),
            [](const kernels::ArrayComparison& each) { return each.passed(); });
    };
    bool near = compare(nullptr);
    if (!near) { // how far roundings alone can carry in this program
        kernels::RoundingNoise noise(run.unsharded->device.program);
        const auto noisy =
            execute(run.named, run.unsharded, run.inputs.arrays, referenceOptions(options, limits, { &noise }));
        if (!noisy)
            return tl::unexpected(noisy.error());
        near = compare(&noisy->outputs);
    }
    if (!near || !run.devices->differences.empty()) {
        auto first = kernels::firstDifference(run.named, run.unsharded, run.partitioned, run.inputs.arrays,
            executeOptions(options, limits, {}), static_cast<double>(limits.memory) / 4);
        if (!first)
            return tl::unexpected(first.error());
        run.first = std::move(*first);
    }
    return {};
}

/// The plan of its steps.
Result<Plan> planOf(const ProgramRun& run)
{
    return flatten(run.named, run.partitioned ? run.partitioned : run.unsharded, run.state)
        .and_then([](FlatProgram flat) { return schedule(std::make_shared<const FlatProgram>(std::move(flat))); });
}

/// Steps from the given arguments on, and further ones to be timed.
Result<void> runSteps(
    ProgramRun& run, const ProgramRunOptions& options, const RunSetting& setting, const Limits& limits)
{
    const bool isStated = run.state.source != StateSource::None && !isGuess(run.state.source);
    const bool isTimed = options.timeit.value_or(isStated);
    if (options.steps == 1 && !isTimed)
        return {};
    Result<Plan> plan = planOf(run);
    if (!plan)
        return tl::unexpected(plan.error());
    RunOptions how;
    how.threads = options.threads;
    how.memoryLimit = limits.memory;
    how.maximumTrips = limits.trips;
    how.initial.arrays = run.inputs.arrays;
    auto created = Run::create(std::make_shared<const Plan>(std::move(*plan)), how);
    if (!created)
        return tl::unexpected(created.error());
    Run& steps = **created;
    run.threads = steps.threads();
    const std::optional<std::size_t> loss = lossResult(*run.named, run.state);
    for (std::int64_t i = 0; i < options.steps && !steps.stopped(); ++i) {
        StepRecord& record = run.steps.emplace_back(StepRecord{ steps.step().wall, {} });
        if (loss && !steps.stopped())
            record.loss = steps.gatherResult(*loss).front();
    }
    if (isTimed)
        run.timing = timeit(
            steps, options.runs > 0 ? options.runs : setting.runs, options.loops > 0 ? options.loops : setting.loops);
    if (const std::optional<Error> failure = steps.failure())
        return tl::unexpected(*failure);
    return {};
}

/// Where --out writes each result to.
std::vector<std::string> outputFiles(const Program& program, const std::string& out)
{
    const std::vector<ValueId>& results = program.main().results;
    if (out.ends_with(".npy")) {
        if (results.size() != 1)
            throw UsageError("--out",
                "names one file, and the program has " + std::to_string(results.size())
                    + " results; name a folder instead");
        return { out };
    }
    std::vector<std::string> files;
    const QDir folder(QString::fromStdString(out));
    for (std::size_t i = 0; i < results.size(); ++i)
        files.push_back(folder.filePath(QStringLiteral("result%1.npy").arg(i)).toStdString());
    return files;
}

Result<void> writeFiles(const ProgramRun& run, const ProgramRunOptions& options)
{
    const QString folder = QString::fromStdString(options.out);
    if (!options.out.ends_with(".npy") && !QFileInfo(folder).isDir() && !QDir().mkdir(folder))
        return fail(Code::Unwritable,
            { { "file", options.out },
                { "reason",
                    QFileInfo::exists(folder) ? "it is no folder" : "there is no folder in which it could be made" } });
    const std::vector<std::string> files = outputFiles(*run.named, options.out);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const kernels::Array& array = run.results()[i];
        if (isTensor(array.type.dtype))
            if (auto written = writeAtomically(QString::fromStdString(files[i]), writeNpy(array.type, array.data()));
                !written)
                return written;
        if (!options.perDevice || !run.devices || !isTensor(array.type.dtype))
            continue;
        for (std::size_t d = 0; d < run.devices->shards.size(); ++d) {
            const kernels::Array& shard = run.devices->shards[d][i];
            const std::string file = files[i].substr(0, files[i].size() - 4) + ".d" + std::to_string(d) + ".npy";
            if (auto written = writeAtomically(QString::fromStdString(file), writeNpy(shard.type, shard.data()));
                !written)
                return written;
        }
    }
    return {};
}

/// The text is right, and cannot be run, or not here.
int cannotRun(const ProgramRunOptions& options, const Input& input, std::vector<Diagnostic> why)
{
    (void)reject(options.json, inFile(std::move(why), input));
    return Findings;
}

} // namespace

const kernels::Arrays& ProgramRun::results() const
{
    return devices ? devices->outputs : reference->outputs;
}

const std::vector<ExpectationFinding>& ProgramRun::expectations() const
{
    return devices ? devices->findings : reference->findings;
}

std::int64_t ProgramRun::failedExpectations() const
{
    return std::count_if(
        expectations().begin(), expectations().end(), [](const ExpectationFinding& each) { return !each.passed(); });
}

Verdict ProgramRun::verdict() const
{
    const bool same = devices->differences.empty()
        && std::all_of(
            comparisons.begin(), comparisons.end(), [](const kernels::ArrayComparison& each) { return each.passed(); });
    if (!same)
        return Verdict::Differs;
    const bool isUnknown = std::any_of(comparisons.begin(), comparisons.end(),
        [](const kernels::ArrayComparison& each) { return each.compared == 0 && each.notFinite > 0; });
    return isUnknown ? Verdict::NotCompared : Verdict::Agrees;
}

std::int64_t ProgramRun::compared() const
{
    return std::accumulate(comparisons.begin(), comparisons.end(), std::int64_t{ 0 },
        [](std::int64_t sum, const kernels::ArrayComparison& each) { return sum + each.compared; });
}

std::int64_t ProgramRun::notFinite() const
{
    return std::accumulate(comparisons.begin(), comparisons.end(), std::int64_t{ 0 },
        [](std::int64_t sum, const kernels::ArrayComparison& each) { return sum + each.notFinite; });
}

int runProgram(const ProgramRunOptions& options)
{
    Result<Experiment> experiment = options.text
        ? experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(*options.text) }, "program")
        : openProgram(QString::fromStdString(options.file));
    if (experiment)
        if (auto chosen = choose(*experiment, options.init); !chosen)
            return reject(options.json, { std::move(chosen.error()) });
    SnapshotPtr snapshot = experiment ? analyse(*experiment) : nullptr;
    // What is wrong with a text is said in full, each finding at its place.
    if (!snapshot || firstError(*snapshot) || !snapshot->laidOut()) {
        auto legal = options.text ? loadProgram(options.file, *options.text) : loadProgram(options.file);
        if (!legal)
            return reject(options.json, legal.error());
    }
    Input input{ shownName(options.file), experiment ? std::move(*experiment) : Experiment{}, {}, {} };
    if (!snapshot || !snapshot->annotated)
        return reject(options.json,
            inFile(snapshot ? std::vector<Diagnostic>{ *firstError(*snapshot) } : std::vector{ experiment.error() },
                input));
    return runProgram(options, input, *snapshot);
}

int runProgram(const ProgramRunOptions& options, const Input& input, const Snapshot& snapshot)
{
    const Program& program = *snapshot.program;
    if (auto checked = checkChosen(program, options.init); !checked)
        return reject(options.json, { std::move(checked.error()) });
    if (!options.out.empty())
        (void)outputFiles(program, options.out);

    ProgramRun run;
    run.name = input.name;
    run.title = input.experiment.title;
    run.problems = allProblems(input, snapshot);
    // That it is laid out and not trained is no finding, and what running says is said below.
    std::erase_if(run.problems, [](const Diagnostic& problem) {
        return problem.severity() == Severity::Info || problem.code == Code::MixedMemoryKinds;
    });
    // Simulated devices have one memory: what lies in two is said, and can be run.
    for (Diagnostic& finding : memoryOf(program).findings)
        run.problems.push_back(std::move(finding));
    Program named = passes::importManualRegions(program);
    nameValues(named);
    run.named = std::make_shared<const Program>(std::move(named));
    DeviceCounts counts; // of a text that is a program of one device
    bool isNews = false; // why it was not partitioned is not among the problems yet
    // A text without a mesh is given one of a single device.
    if (mainMesh(snapshot.source->program) || snapshot.mesh->deviceCount() > 1) {
        if (auto partitioned = partitionedProgram(snapshot, false)) {
            run.problems.insert(run.problems.end(), (*partitioned)->warnings.begin(), (*partitioned)->warnings.end());
            run.partitioned = std::move(*partitioned);
        } else {
            run.notPartitioned = std::move(partitioned.error());
            isNews = statusOf(run.problems) == Done;
        }
    } else if (speaksToDevices(program)) {
        counts = devicesOf(program);
    }
    if (std::vector<Diagnostic> refused = refusals(*run.named, counts); !refused.empty())
        return cannotRun(options, input, std::move(refused));
    Result<PartitionedProgram> inFull = unsharded(*run.named, counts);
    if (!inFull)
        return cannotRun(options, input, { std::move(inFull.error()) });
    run.unsharded = std::make_shared<const PartitionedProgram>(std::move(*inFull));
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
    run.problems = inFile(std::move(run.problems), input);

    if (options.state.empty()) {
        run.state = stateOf(*run.named, input.experiment.run.state);
    } else if (auto stated = parseState(*run.named, options.state)) {
        run.state = std::move(*stated);
    } else {
        stated.error().where.file = "--state";
        return reject(options.json, { std::move(stated.error()) });
    }
    if (options.steps > 1 && run.state.pairs.empty())
        throw UsageError(
            "--steps", "no result of this program is known to be an argument of its next step; name them with --state");
    const bool withReference = options.check || !run.partitioned;
    const Limits limits{ availableMemory().value_or(INT64_MAX) / 4 * 3, options.loopLimit };
    const Result<double> needed = bytesNeeded(run, withReference, options, limits);
    if (!needed)
        return cannotRun(options, input, { needed.error() });
    if (*needed > static_cast<double>(limits.memory))
        return cannotRun(options, input,
            { { Code::OutOfMemory, { { "bytes", toBytes(*needed) }, { "limit", limits.memory } }, {} } });
    InputOptions inputs{ options.inputs, initialValuesOf(input.experiment), options.inputs.empty() || options.seed };
    inputs.initial.seed = options.seed.value_or(inputs.initial.seed);
    if (auto read = readInitialFiles(inputs.initial, program, folderOf(QString::fromStdString(options.file))); !read)
        return reject(options.json, { std::move(read.error()) });
    auto given = readInputs(program, inputs);
    if (!given)
        return reject(options.json, given.error());
    run.inputs = std::move(*given);
    if (const Result<void> done = execute(run, options, limits); !done)
        return cannotRun(options, input, { done.error() });
    if (const Result<void> done = runSteps(run, options, input.experiment.run, limits); !done)
        return cannotRun(options, input, { done.error() });
    if (run.partitioned)
        if (const Result<Plan> plan = planOf(run))
            run.memory = plannedMemory(*plan);

    const bool finding = statusOf(run.problems) != Done || run.notPartitioned || run.failedExpectations() > 0
        || (run.checked && run.verdict() != Verdict::Agrees);
    int status = finding ? Findings : Done;
    if (!options.out.empty())
        if (Result<void> written = writeFiles(run, options); !written) { // what was computed is shown all the same
            status = BadInput;
            run.problems.push_back(std::move(written.error()));
        }
    if (!options.json.empty())
        return emitText(jsonText(options.json, run, { options.perDevice, options.values }), options.json.file, status);
    Console console;
    printRun(console, run, options.perDevice);
    console.flush();
    Console errors(stderr);
    print(errors, run.problems);
    return status;
}

} // namespace shardscope::cli

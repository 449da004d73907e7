// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "analysis/initial_setting.h"
#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "document/array_file.h"
#include "document/program_file.h"
#include "input.h"
#include "pipeline/collective_list.h"
#include "pipeline/stage_results.h"
#include "program/step_state.h"
#include "report.h"
#include "run_inputs.h"
#include "run_program.h"
#include "schedule/plan.h"
#include "simulate/check/check.h"
#include "simulate/run/run.h"
#include "stablehlo/read.h"
#include "step_report.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct RunCommandOptions {
    std::string file;
    std::int64_t steps = 1;
    std::int64_t runs = 0; ///< 0 = as the experiment says
    std::int64_t loops = 0;
    int threads = 0;
    bool check = true;
    bool timeit = true;
    ProgramRunOptions program; ///< for programs in StableHLO text
    JsonTarget json;
};

struct Outcome {
    std::vector<StepRecord> steps;
    std::optional<CheckReport> check;
    std::optional<Diagnostic> checkRefused; ///< why there is none
    std::optional<TimeitResult> timing;
    int threads = 0;
    std::int64_t logicalBytes = 0;
    std::vector<ArgumentStart> starts; ///< per argument
};

RunOptions runOptions(const Experiment& experiment, int threads)
{
    RunOptions options;
    options.threads = threads;
    options.initial = initialValuesOf(experiment);
    options.replicas = experiment.run.shareReplicas ? ReplicaMode::Shared : ReplicaMode::Own;
    return options;
}

Result<Outcome> execute(const Input& input, const Snapshot& snapshot, const RunCommandOptions& options)
{
    RunOptions settings = runOptions(input.experiment, options.threads);
    if (auto read =
            readInitialFiles(settings.initial, *snapshot.program, folderOf(QString::fromStdString(options.file)));
        !read)
        return tl::unexpected(std::move(read.error()));
    Outcome outcome;
    outcome.starts = argumentStarts(*snapshot.program, settings.initial);
    auto run = Run::create(snapshot.plan, settings);
    if (!run)
        return tl::unexpected(run.error());
    outcome.threads = (*run)->threads();
    outcome.logicalBytes = (*run)->logicalBytes();
    const auto loss = lossResult(*snapshot.program, stateOf(*snapshot.program));
    for (std::int64_t i = 0; i < options.steps; ++i) {
        StepRecord record{ (*run)->step().wall, {} };
        if (loss)
            if (const std::vector<double> value = (*run)->gatherResult(*loss); !value.empty())
                record.loss = value.front();
        outcome.steps.push_back(record);
    }
    if (options.timeit) {
        const RunSetting& run_ = input.experiment.run;
        outcome.timing =
            timeit(**run, options.runs > 0 ? options.runs : run_.runs, options.loops > 0 ? options.loops : run_.loops);
    }
    run->reset(); // its memory, before the check takes the same again
    if (options.check) {
        auto report = checkAgainstReference(snapshot.plan->program, settings, 1);
        if (report)
            outcome.check = std::move(*report);
        else
            outcome.checkRefused = report.error();
    }
    return outcome;
}

Json indexJson(const Program& program, ValueId value, std::int64_t element)
{
    Shape index = program.value(value).type.shape;
    for (std::size_t d = index.size(); d-- > 0;) {
        const std::int64_t extent = index[d];
        index[d] = element % extent;
        element /= extent;
    }
    return std::vector<std::int64_t>(index.begin(), index.end());
}

Json valueCheckJson(const ValueCheck& value, const Program& program)
{
    Json out{ { "path", value.path }, { "passed", value.passed() }, { "largest_error", value.largestError() },
        { "tolerance", value.tolerance }, { "largest_magnitude", value.largestMagnitude },
        { "replicas_agree", !value.copiesDiffer }, { "compared", value.compared } };
    if (value.worstElement >= 0)
        out["worst"] = { { "element", indexJson(program, value.value, value.worstElement) },
            { "device", value.worstDevice }, { "value", value.ours }, { "reference", value.reference } };
    if (const auto& copies = value.copiesDiffer)
        out["copies_differ"] = { { "element", indexJson(program, value.value, copies->element) },
            { "device_ids", { copies->device, copies->other } }, { "values", { copies->value, copies->otherValue } } };
    return out;
}

Json checkReportJson(const CheckReport& report, const Program& program)
{
    Json values = Json::array();
    for (const ValueCheck& value : report.values)
        values.push_back(valueCheckJson(value, program));
    const EndToEnd& agreement = report.endToEnd;
    return { { "passed", report.passed }, { "loss", report.lossOurs }, { "loss_reference", report.lossReference },
        { "end_to_end",
            { { "parameters", agreement.parameters }, { "agree", agreement.agree },
                { "gradient_difference", agreement.gradientDifference } } },
        { "beyond_rounding",
            { { "parameters", report.decided.parameters }, { "apart", report.decided.apart },
                { "unexplained", report.decided.unexplained } } },
        { "values", std::move(values) } };
}

/// Where the numbers of every argument come from.
Json argumentsJson(const Program& program, const std::vector<ArgumentStart>& starts, std::uint64_t seed)
{
    Json arguments = Json::array();
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const Value& argument = program.value(program.main().arguments[i]);
        arguments.push_back({ { "name", *argument.path }, { "type", toString(argument.type) },
            { "from", originOf(starts[i], seed) }, { "initial", toString(starts[i].value) } });
    }
    return arguments;
}

/// What was chosen, of every argument that begins with it.
void printChosen(Console& console, const Program& program, const Outcome& outcome, std::uint64_t seed)
{
    constexpr int maxShown = 16;
    int shown = 0, more = 0;
    for (std::size_t i = 0; i < outcome.starts.size(); ++i) {
        if (outcome.starts[i].reason != InitialReason::Chosen)
            continue;
        if (shown == 0)
            console.heading(QStringLiteral("Values to start from"));
        if (++shown > maxShown)
            ++more;
        else
            console.line(QStringLiteral("  %1  %2")
                             .arg(words::fromStd(program.value(program.main().arguments[i]).path),
                                 words::fromStd(originOf(outcome.starts[i], seed))));
    }
    if (more > 0)
        console.line(QStringLiteral("  and %1 more").arg(more));
}

int writeJson(
    const Input& input, const Snapshot& snapshot, const RunCommandOptions& options, const Outcome& outcome, int status)
{
    Json out = envelope(options.json, input);
    out["mesh"] = cli::toJson(*snapshot.mesh);
    out["device_program"] = hashJson(hash(*snapshot.plan->program->local));
    out["tensors"] = tensors(snapshot);
    out["communication"] = communication(*snapshot.collectives);
    out["memory_per_device"] = cli::toJson(snapshot.plan->memory);
    out["threads"] = outcome.threads;
    out["steps"] = stepsJson(outcome.steps);
    out["arguments"] = argumentsJson(*snapshot.program, outcome.starts, input.experiment.run.seed);
    if (outcome.check)
        out["check"] = checkReportJson(*outcome.check, *snapshot.program);
    if (outcome.timing)
        out["timing"] = timingJson(*outcome.timing, *snapshot.mesh);
    out["problems"] = problems(input, snapshot);
    if (outcome.checkRefused)
        out["problems"].push_back(cli::toJson(*outcome.checkRefused));
    return emitJson(out, options.json, status);
}

void printCheck(Console& console, const CheckReport& report, const Program& program)
{
    console.heading(QStringLiteral("Check against the unsharded reference, first step"));
    if (report.values.empty()) {
        console.line(QStringLiteral("  nothing is computed, so there is nothing to compare"));
        return;
    }
    constexpr std::int64_t maxShown = 64;
    const auto count = static_cast<std::int64_t>(report.values.size());
    const std::int64_t failed = std::count_if(
        report.values.begin(), report.values.end(), [](const ValueCheck& value) { return !value.passed(); });
    Table table{ { { QStringLiteral("Tensor") }, { QStringLiteral("Largest error"), true },
                     { QStringLiteral("Tolerance"), true }, { QStringLiteral("Compared"), true },
                     { QStringLiteral("Copies") }, { QStringLiteral("Result") } },
        {} };
    std::int64_t good = 0;
    for (const ValueCheck& value : report.values) { // those that failed before all others
        if (value.passed() && ++good > std::max<std::int64_t>(maxShown - failed, 0))
            continue;
        table.rows.push_back({ words::fromStd(value.path), QString::number(value.largestError(), 'g', 3),
            QString::number(value.tolerance, 'g', 3), QString::number(value.compared),
            value.copiesDiffer ? QStringLiteral("differ") : QStringLiteral("equal"),
            value.passed() ? QStringLiteral("ok") : QStringLiteral("failed") });
    }
    console.table(table);
    if (const auto more = count - static_cast<std::int64_t>(table.rows.size()); more > 0)
        console.line(QStringLiteral("  and %1 more, all ok").arg(more));
    console.line(QStringLiteral("  loss %1, reference %2")
                     .arg(QString::number(report.lossOurs, 'g', 12), QString::number(report.lossReference, 'g', 12)));
    if (const QString summary = words::endToEndSummary(report); !summary.isEmpty())
        console.line(QStringLiteral("  ") + summary);
    if (report.passed) {
        console.line((count == 1 ? QStringLiteral("  %1 agrees") : QStringLiteral("  all %1 agree"))
                         .arg(words::counted(count, words::Noun::Array)),
            Emphasis::Good);
        return;
    }
    console.line((failed == 1 ? QStringLiteral("  %1 of %2 does not agree; in the order of the step:")
                              : QStringLiteral("  %1 of %2 do not agree; in the order of the step:"))
                     .arg(failed)
                     .arg(words::counted(count, words::Noun::Array)),
        Emphasis::Bad);
    constexpr int maxFindings = 8; // what follows is wrong because of the first ones, mostly
    int found = 0;
    for (const ValueCheck& value : report.values)
        for (const QString& finding : words::checkFindings(value, program))
            if (++found <= maxFindings)
                console.line(QStringLiteral("  ") + finding, Emphasis::Bad);
    if (found > maxFindings)
        console.line(QStringLiteral("  and %1 more").arg(found - maxFindings), Emphasis::Bad);
}

/// The first weight and the input: what people look at first.
std::vector<const TensorRow*> gridsToShow(const Snapshot& snapshot)
{
    std::vector<const TensorRow*> rows;
    for (const Role role : { Role::Parameter, Role::Input }) {
        const auto found = std::find_if(snapshot.tensors.begin(), snapshot.tensors.end(),
            [role](const TensorRow& row) { return row.role == role; });
        if (found != snapshot.tensors.end())
            rows.push_back(&*found);
    }
    return rows;
}

/// Options that mean nothing for what is run are refused.
void refuseOptions(const Command& command, std::initializer_list<const char*> names, const char* reason)
{
    for (const char* name : names)
        if (command.isSet(name))
            throw UsageError(name, reason);
}

void refuseOtherOptions(const Command& command, bool isProgram)
{
    if (!isProgram)
        refuseOptions(command,
            { "--inputs", "--random", "--per-device", "--values", "--loop-limit", "--out", "--state" },
            "is for programs in StableHLO text, and this experiment has train steps");
}

/// Options that programs share with networks.
ProgramRunOptions programOptions(const Command& command, const RunCommandOptions& options)
{
    ProgramRunOptions program = options.program;
    program.check = options.check;
    program.json = options.json;
    program.steps = options.steps;
    program.runs = options.runs;
    program.loops = options.loops;
    program.threads = options.threads;
    if (command.isSet("--timeit"))
        program.timeit = options.timeit;
    return program;
}

int runExperiment(const Command& command, const RunCommandOptions& options, std::optional<std::string> text)
{
    auto input = loadExperiment(options.file, std::move(text));
    if (!input)
        return reject(options.json, input.error());
    if (auto chosen = choose(input->experiment, options.program.init); !chosen)
        return reject(options.json, { std::move(chosen.error()) });
    if (!options.program.state.empty())
        input->experiment.run.state.clear(); // the option's in its place
    const bool isProgram = std::holds_alternative<ProgramModel>(input->experiment.model);
    refuseOtherOptions(command, isProgram);
    const SnapshotPtr snapshot = analyse(input->experiment);
    if (snapshot->program)
        if (auto checked = checkChosen(*snapshot->program, options.program.init); !checked)
            return reject(options.json, { std::move(checked.error()) });
    if (isProgram && !firstError(*snapshot) && snapshot->laidOut()) {
        return runProgram(programOptions(command, options), *input, *snapshot);
    }
    if (!snapshot->ok()) {
        Console errors(stderr);
        printProblems(errors, *input, *snapshot);
        if (options.json.empty())
            return Findings;
        Json out = envelope(options.json, *input);
        out["problems"] = problems(*input, *snapshot);
        return emitJson(out, options.json, Findings);
    }
    Result<Outcome> outcome = execute(*input, *snapshot, options);
    if (!outcome) {
        Diagnostic diagnostic = outcome.error();
        diagnostic.where.file = input->name;
        (void)reject(options.json, { diagnostic });
        return Findings; // the file is right; this machine cannot run it
    }
    if (outcome->checkRefused) // the steps are as good as without a check
        outcome->checkRefused->where.file = input->name;
    const bool finding = outcome->checkRefused || (outcome->check && !outcome->check->passed);
    const int status = finding ? Findings : Done;
    if (!options.json.empty())
        return writeJson(*input, *snapshot, options, *outcome, status);

    Console console;
    console.heading(words::fromStd(input->experiment.title));
    printMesh(console, *snapshot);
    printTensors(console, *snapshot);
    for (const TensorRow* row : gridsToShow(*snapshot))
        printGrid(console, *snapshot, *row);
    console.heading(QStringLiteral("Communication per device"));
    console.line(QStringLiteral("  ") + words::sentSummary(*snapshot->collectives));
    printChosen(console, *snapshot->program, *outcome, input->experiment.run.seed);
    printSteps(console, outcome->steps);
    if (outcome->check)
        printCheck(console, *outcome->check, *snapshot->program);
    if (outcome->timing)
        printTiming(console, *outcome->timing, *snapshot->mesh, outcome->threads);
    console.flush();
    Console errors(stderr);
    printProblems(errors, *input, *snapshot); // warnings
    if (outcome->checkRefused)
        print(errors, { *outcome->checkRefused });
    return status;
}

/// Experiments are JSON; programs begin with anything but a brace.
bool beginsAsExperiment(const std::string& text)
{
    std::string_view rest = text;
    const auto skipTo = [&](std::string_view end) {
        rest.remove_prefix(std::min(rest.size(), std::min(rest.find(end), rest.size()) + end.size()));
    };
    while (true) {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
        if (rest.starts_with("//"))
            skipTo("\n");
        else if (rest.starts_with("/*"))
            skipTo("*/");
        else
            return rest.empty() || rest.front() == '{';
    }
}

int runFile(const Command& command, RunCommandOptions& options)
{
    std::optional<std::string> text; // of standard input, which can be read once
    if (options.file == "-") {
        Result<std::string> read = readText("-", maximumText);
        if (!read)
            return reject(options.json, { read.error() });
        text = std::move(*read);
    }
    const bool isProgram = text ? !beginsAsExperiment(*text) : isProgramFile(QString::fromStdString(options.file));
    if (!isProgram)
        return runExperiment(command, options, std::move(text));
    refuseOtherOptions(command, true);
    ProgramRunOptions program = programOptions(command, options);
    program.file = options.file;
    program.text = std::move(text);
    return runProgram(program);
}

} // namespace

void addRun(CLI::App& app, int& status)
{
    Command command(
        app, "run", "Run train steps, or a program on arrays of yours, on simulated devices, and check them");
    const auto options = std::make_shared<RunCommandOptions>();
    command.addFile(options->file);
    command.addOption("--steps", options->steps, "Steps to run and list, from the initial values (default 1)")
        .wholeNumber(0, maxSteps)
        .optionText("N");
    command.addFlag("--timeit,!--no-timeit", options->timeit,
        "Time further steps, as IPython's %%timeit does: mean and\n"
        "deviation over --runs of --loops steps each (on by default)");
    command.addOption("--runs", options->runs, "Runs to time (default: as the experiment says)")
        .wholeNumber(1, 1'000'000)
        .optionText("N");
    command.addOption("--loops", options->loops, "Loops of each run, one step each (default: as the experiment says)")
        .wholeNumber(1, 1'000'000'000)
        .optionText("M");
    command.addOption("--threads", options->threads, "Worker threads (default: one per core)")
        .wholeNumber(0, 1024)
        .optionText("N");
    command.addFlag("--check,!--no-check", options->check,
        "Compare the first step, or the results of the program, with the unsharded reference\n(on by default)");
    command
        .addOption("--inputs", options->program.inputs,
            "Arguments of a program in StableHLO text: a .json with a list for each, or an object by name; a .npy for "
            "each, in "
            "order or as NAME=FILE.npy; a .npz; - for JSON on standard input")
        .optionText("FILE...");
    command
        .addOption("--random", options->program.seed,
            "Arguments that --inputs does not give, the same for the same seed: indices within what they index, floats "
            "from -1 to 1, smaller where they are factors of a contraction, positive where roots or denominators need "
            "it. Without --inputs and --random all arguments are random: seed 0, or that of the experiment")
        .wholeNumber(0, INT64_MAX)
        .optionText("SEED");
    command
        .addOption("--init", options->program.init,
            "What an argument begins with, in place of what the experiment says: NAME is a path, a number (arg0), or a "
            "glob of either (\"params/**\"); KIND is zeros, ones, \"constant 0.5\", \"normal 0.02\" (its deviation), "
            "\"uniform -1 1\", fan_in, xavier, non_negative, \"integers 8\" (0 to 7), or \"file w.npz\". Can be given "
            "several times; the last one that names an argument counts")
        .repeated()
        .optionText("NAME=KIND");
    command.addFlag(
        "--per-device", options->program.perDevice, "What each device holds of arguments and results of a program");
    command
        .addOption("--out", options->program.out,
            "Write the results of a program: a folder for result0.npy, result1.npy and so on (with --per-device also "
            "result0.d3.npy for the shard of device 3), or a .npy for the only one")
        .optionText("PATH");
    command.addFlag("--values", options->program.values,
        "All elements of arrays in the JSON of a program; else those of arrays of 64 elements or fewer, and of every "
        "array a summary");
    command
        .addOption("--loop-limit", options->program.loopLimit,
            "Stop a program whose loops make more trips than that, all together (default 100000)")
        .wholeNumber(1, INT64_MAX)
        .optionText("N");
    command
        .addOption("--state", options->program.state,
            "Which results of a program are arguments of its next step: 0=1,2=0 for argument 0 from result 1 and "
            "argument 2 from result 0, or none. Otherwise as the experiment, tf.aliasing_output and "
            "jax.buffer_donor say, else a guess by names, or by order, type and sharding")
        .optionText("PAIRS");
    command.addJson(options->json);
    command.footer(
        "A program in StableHLO text is run on one device as the reference and, where it names a mesh, partitioned on\n"
        "the devices of that mesh; FILE may be a built-in example with such a program. It is a step where results are\n"
        "its next arguments (--state): then --steps runs it again and again. A step is timed without being asked\n"
        "where its text says what its state is.\n"
        "\n"
        "JSON holds numbers exactly: integers to 64 bits, floats to the nearest of their type, \"nan\", \"inf\" and\n"
        "\"-inf\" as strings; up to 2 million numbers, more as .npy. Types that NumPy lacks (bfloat16, floats of 8\n"
        "bits) stand in .npy files as raw bytes, V2 and V1, as ml_dtypes writes them; they are read as the type that\n"
        "the program says. Integers of 2 and 4 bits stand in 8.\n"
        "\n"
        "Exit codes: 0 done; 1 the experiment has errors, the program cannot be run or partitioned, needs more\n"
        "memory than there is, goes on in a loop beyond --loop-limit, does not agree with the reference (or has\n"
        "nothing but NaN and infinity to compare) or with what it expects itself; 2 arguments, input or output that\n"
        "cannot be used. Warnings do not count.");
    command.run(status, [options, command] { return runFile(command, *options); });
}

} // namespace shardscope::cli

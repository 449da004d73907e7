// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope run: steps of any experiment on simulated devices.
// The command run, declared in commands.h.
#include <algorithm>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "document/atomic_file.h"
#include "interchange/trace.h"
#include "progress.h"
#include "run_program.h"
#include "run_report.h"
#include "schedule/plan.h"
#include "simulate/run/run.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

/// Takes two steps, on devices of its own, and writes the times of the second one: the first finds no memory in the
/// caches. Errors: those of Run::create() and Run::failure(), Unwritable.
Result<void> writeTrace(std::shared_ptr<const Plan> plan, RunOptions options, const std::string& file)
{
    constexpr std::int64_t maxTimes = std::int64_t{ 1 } << 21; // of all devices
    options.tracedInstructions =
        static_cast<std::size_t>(std::max<std::int64_t>(maxTimes / plan->program->mesh->deviceCount(), 1));
    SHARDSCOPE_TRY(run, Run::create(std::move(plan), options));
    for (int step = 0; step < 2; ++step)
        (*run)->step();
    if (std::optional<Error> failure = (*run)->failure())
        return tl::unexpected<Error>(std::move(*failure));
    return writeAtomically(QString::fromStdString(file), chromeTrace(**run));
}

int runFile(RunCommandOptions& options)
{
    Progress progress("run");
    options.onPhase = [&progress](const QString& what, const QString& hint) { progress.now(what, hint); };
    auto run = runProgram(options);
    if (!run) {
        progress.end();
        return refuse(options.json, run.error());
    }
    int status = run->status();
    const auto wrote = [&](Result<void> written) { // what was computed is shown all the same
        if (written)
            return;
        status = BadInput;
        run->problems.push_back(std::move(written.error()));
    };
    if (run->plan && !options.out.empty())
        wrote(writeFiles(*run, options));
    if (run->plan && !options.trace.empty()) {
        progress.now(QStringLiteral("a step whose instructions are timed, for %1").arg(words::fromStd(options.trace)));
        wrote(writeTrace(run->plan, stepOptions(*run, options), options.trace));
    }
    progress.end();
    if (!options.json.empty())
        return emitText(jsonText(*run, options), options.json.file, status);
    Console console;
    printRun(console, *run, options);
    console.flush();
    Console errors(stderr);
    print(errors, run->problems);
    return status;
}

/// Which steps are taken, timed and checked. `timeit` and `difference` are read after the arguments have been parsed.
void addStepOptions(Command& command, RunCommandOptions& options, bool& timeit, std::string& difference)
{
    command.addOption("--steps", options.steps, "Steps to run and list, from the initial values (default 1)")
        .wholeNumber(1, maxSteps)
        .optionText("N");
    command
        .addOption("--difference", difference,
            "Two states, by the steps after which they are (0: at the start): TO less "
            "FROM, array by array, each sharded as the array is. As many steps are taken as that needs")
        .check([](const std::string& text) {
            return twoStatesOf(text)
                ? std::string()
                : "'" + text + "' is no pair of numbers of steps up to " + std::to_string(maxSteps) + ", such as 0,2";
        })
        .optionText("FROM,TO");
    command.addFlag("--variables", options.variables,
        "List parameters and state apart from the program: the argument that each is put into, the result that takes "
        "its place in the next step, or that it is frozen");
    command
        .addOption("--freeze", options.freeze,
            "Variables that steps leave as they are, by a glob of their paths (\"params/layers.0/*\"). Can be given "
            "several times")
        .repeated()
        .optionText("GLOB");
    command.addFlag("--initialise", options.initialise,
        "Run the program that makes the state of a network's step, from a key, in the place of the step: every array "
        "is made in the sharding that it has in the step, and no device holds more of it");
    command
        .addOption("--calls", options.calls,
            "Look the compiled step up so often, as calls of a jitted function do, and list how often each stage of "
            "compiling was in the cache, and how long it took")
        .wholeNumber(1, 1000)
        .optionText("N");
    command
        .addOption("--jit", options.jit,
            "Compile parts of the step each by itself, as jit around a layer does: those whose scope fits, with a glob "
            "for each of its names (\"layers.*\", \"backward/layers.*\"). Parts that are the same program are compiled "
            "once")
        .optionText("GLOB");
    command.addFlag("--timeit,!--no-timeit", timeit,
        "Time further steps, as IPython's %%timeit does: mean and\n"
        "deviation over --runs of --loops steps each (on by default\nwhere the program says what its state is)");
    command.addOption("--runs", options.runs, "Runs to time (default: as the experiment says)")
        .wholeNumber(1, 1'000'000)
        .optionText("N");
    command.addOption("--loops", options.loops, "Loops of each run, one step each (default: as the experiment says)")
        .wholeNumber(1, 1'000'000'000)
        .optionText("M");
    command.addOption("--threads", options.threads, "Worker threads (default: one per core)")
        .wholeNumber(0, 1024)
        .optionText("N");
    command.addFlag("--check,!--no-check", options.check,
        "Compare the first step with the unsharded reference, and look for NaN and infinity\n(on by default)");
}

/// What the first step begins with.
void addArgumentOptions(Command& command, RunCommandOptions& options)
{
    command
        .addOption("--inputs", options.inputs,
            "Arguments: a .json with a list for each, or an object by name; a .npy for each, in order or as "
            "NAME=FILE.npy; a .npz; - for JSON on standard input")
        .optionText("FILE...");
    command
        .addOption("--random", options.seed,
            "Arguments that --inputs does not give, the same for the same seed: those of a network as --init has "
            "them by default; of a program in a text indices within what they index, moments and counters zeros, "
            "other floats from -1 to 1, smaller where they are factors of a contraction, positive where roots or "
            "denominators need it, from 0 to 1 where they are taken from 1. Without --inputs and --random the seed is "
            "that of the experiment, or 0")
        .wholeNumber(0, INT64_MAX)
        .optionText("SEED");
    command
        .addOption("--init", options.init,
            "What an argument begins with, in place of what the experiment says: NAME is a path, a number (arg0), what "
            "the text's location calls it (\"state.params['w']\"), or a glob of these with *, ** and ? "
            "(\"params/**\"); KIND is zeros, ones, \"constant 0.5\", \"normal 0.02\" (its deviation), "
            "\"uniform -1 1\", fan_in, xavier, non_negative, \"integers 8\" (0 to 7), iota (0, 1, 2 and so on), "
            "\"numpy_normal 0\" (np.random.default_rng(0).normal()), or \"file w.npz\". Can be given "
            "several times; the last one that names an argument counts")
        .repeated()
        .optionText("NAME=KIND");
}

/// What is printed and written, and the limits of a step.
void addOutputOptions(Command& command, RunCommandOptions& options)
{
    command.addFlag("--per-device", options.perDevice, "What each device holds of arguments and results");
    command
        .addOption("--out", options.out,
            "Write the results of the first step: a folder for result0.npy, result1.npy and so on (with --per-device "
            "also result0.d3.npy for the shard of device 3), or a .npy for the only one")
        .optionText("PATH");
    command.addFlag("--values", options.values,
        "All elements of arrays in the JSON; else those of arrays of 64 elements or fewer, and of every array a "
        "summary. Without --json all arrays are listed, each as NumPy prints it");
    command
        .addOption("--loop-limit", options.loopLimit,
            "Stop a step whose loops make more trips than that, all together (default 100000)")
        .wholeNumber(1, INT64_MAX)
        .optionText("N");
    command
        .addOption("--trace", options.trace,
            "Write when each device executed each instruction of a step, as JSON for chrome://tracing and Perfetto")
        .optionText("FILE");
    command
        .addOption("--state", options.state,
            "Which results are arguments of the next step: 0=1,2=0 for argument 0 from result 1 and "
            "argument 2 from result 0, or none. Otherwise as the experiment, the network, tf.aliasing_output and "
            "jax.buffer_donor say, else a guess by names, or by order, type and sharding")
        .optionText("PAIRS");
}

} // namespace

void addRun(CLI::App& app, int& status)
{
    Command command(
        app, "run", "Run steps of a program on simulated devices, on arrays of yours or random ones, and check them");
    const auto options = std::make_shared<RunCommandOptions>();
    const auto timeit = std::make_shared<bool>(false);
    const auto difference = std::make_shared<std::string>();
    command.addFile(options->file);
    addStepOptions(command, *options, *timeit, *difference);
    addArgumentOptions(command, *options);
    addOutputOptions(command, *options);
    command.addJson(options->json);
    command.footer(
        "FILE is an experiment, a built-in example or a program in StableHLO text, all of them run alike: on the\n"
        "devices of their mesh, and on one device as the reference. A program without a mesh runs on as many devices\n"
        "as its module counts partitions, usually one; one that cannot be partitioned runs on one. It is a step where\n"
        "results are its next arguments (--state): then --steps runs it again and again. A table of arrays has no\n"
        "operations: it is listed, and nothing is run.\n"
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
    command.run(status, [options, timeit, difference, command] {
        options->difference = twoStatesOf(*difference);
        if (command.isSet("--timeit"))
            options->timeit = *timeit;
        return runFile(*options);
    });
}

} // namespace shardscope::cli

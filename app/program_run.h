// SPDX-License-Identifier: GPL-3.0-or-later
// What one run of an experiment's program on simulated devices is asked for (RunCommandOptions) and what it found
// (ProgramRun). run_program.h fills a ProgramRun, run_report.h prints it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compiled_parts.h"
#include "input.h"
#include "pipeline/collective_list.h"
#include "pipeline/device_stages.h"
#include "pipeline/planned_memory.h"
#include "program/step_state.h"
#include "report.h"
#include "run_inputs.h"
#include "simulate/check/check.h"
#include "simulate/check/non_finite.h"
#include "simulate/run/execute.h"
#include "simulate/run/state_difference.h"
#include "simulate/run/step_figures.h"
#include "words/run_words.h"

namespace shardscope::cli {

/// Steps that are run and listed, at most: every one of them is remembered.
inline constexpr std::int64_t maxSteps = 100'000;

/// Figures of one step. Norms are absent unless they are asked for and the step has them.
struct StepRecord : StepFigures {
    double wall = 0; ///< seconds
};

/// Two states of a run, each named by the number of steps done before it; 0 is the start.
struct TwoStates {
    std::int64_t from = 0, to = 0;
};
/// Reads "0,2". Nothing if the text is not two numbers from 0 to maxSteps.
[[nodiscard]] std::optional<TwoStates> twoStatesOf(const std::string& text);

struct RunCommandOptions {
    std::string file;
    std::vector<std::string> inputs; ///< files that hold arguments
    std::optional<std::uint64_t> seed; ///< of random arguments; absent: the experiment's
    std::vector<std::string> init; ///< what arguments begin with, NAME=KIND
    bool perDevice = false;
    bool check = true;
    bool values = false; ///< all arrays in full
    std::int64_t steps = 1;
    std::optional<bool> timeit; ///< whether steps are timed; absent: only if their state is known, not guessed
    std::int64_t runs = 0, loops = 0; ///< of timing; 0 = as the experiment says
    int threads = 0; ///< 0 = one per core, where the work is worth it
    std::string state; ///< as parseState() reads it; "" = the experiment's, else stateOf()
    std::string trace; ///< file for the times of instructions; empty: none
    std::int64_t loopLimit = defaultTrips; ///< trips of all loops of a device in one step
    std::string out; ///< a folder, or a .npy for a program with one result; empty: no files
    /// Text that a transformer is trained on, a new batch of tokens in every step (analysis/step_inputs.h). Null: every
    /// step has the initial tokens.
    std::shared_ptr<const std::string> text;
    bool needsTokens = false; ///< refuse a model without tokens: the user chose the text
    std::optional<TwoStates> difference; ///< report the difference of these states; adds the steps that it needs
    bool variables = false; ///< list parameters and state
    std::vector<std::string> freeze; ///< globs of variables that steps do not update
    bool initialise = false; ///< run the initializer of the network in place of its step
    std::int64_t calls = 0; ///< look the compiled step up so many times and report cache hits; 0: no report
    std::string jit; ///< glob of scopes to compile by themselves, as compiledParts() reads it; empty: none
    bool needsState = false; ///< refuse a program whose steps do not follow each other
    bool norms = false; ///< record norms of parameters and gradients after each step
    std::function<void(const StepRecord&)> onStep; ///< called after each of `steps`; may be empty
    /// Called with what is done next, "step 3 of 8", and with how to leave it out, or ""; may be empty.
    std::function<void(const QString&, const QString&)> onPhase;
    JsonTarget json;
};

/// The operation or argument in which NaN or infinity first occurs.
struct NonFiniteFinding {
    NonFinite found;
    words::Runs runs = words::Runs::Reference;
    std::string value; ///< "%arg0", "%5"; empty where it has no name
    Shape index;
    QString sentence;
};

/// The first step whose loss or norms are not finite, and where in it that begins.
struct Divergence {
    std::int64_t step = 1;
    std::optional<NonFiniteFinding> finding; ///< nothing where no operation is known to make it
    QString sentence;
};

/// What devices sent while they ran, per kind of collective, of the device that sent most. `comms` predicts the same.
struct Exchanged {
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t times = 0;
    Rational sentBytes;
};

/// Why nothing was compared with a reference.
enum class NotCompared : std::uint8_t {
    OneDevice, ///< there is one device, which runs what the reference runs
    OfOneDevice, ///< the text is already the program of one of several devices
    NotPartitioned
};

/// Everything that a run found.
struct ProgramRun {
    Input input;
    SnapshotPtr snapshot;
    std::vector<Diagnostic> problems; ///< of input, analysis and partitioning; why it is not partitioned or checked
    DeviceStages::Partitioned partitioned; ///< null without a mesh, or if it could not be partitioned
    /// The reference; run in place of `partitioned` if that is null. Null where one device cannot run the program: then
    /// `partitioned` is not.
    DeviceStages::Partitioned unsharded;
    std::optional<Diagnostic> notPartitioned; ///< why a program with a mesh could not be partitioned
    std::shared_ptr<const Plan> plan; ///< null for an experiment without operations: it has no step
    std::optional<std::uint64_t> deviceProgram; ///< hash of what every device of the mesh runs
    std::shared_ptr<const CollectiveList> collectives; ///< null where it could not be partitioned
    std::optional<PlannedMemory> memory; ///< likewise
    Starts starts;
    StepState state; ///< pairs of arguments and results
    Execution first; ///< results of the first step; with shards if asked for, or if replicas differ
    std::vector<StepRecord> steps; ///< the first RunCommandOptions::steps of them
    std::vector<StageCount> stages; ///< cache hits of RunCommandOptions::calls
    std::vector<CompiledPart> parts; ///< of RunCommandOptions::jit
    std::vector<ArrayDifference> difference; ///< of RunCommandOptions::difference, without shards
    std::optional<TimeitResult> timing;
    int threads = 1; ///< of steps
    bool isObserved = false; ///< `exchanged` and `nonFinite` are known
    std::vector<Exchanged> exchanged;
    std::vector<NonFiniteFinding> nonFinite;
    std::optional<Divergence> divergence; ///< where `nonFinite`, of the first step, does not say it
    std::optional<CheckReport> check;
    std::optional<Diagnostic> checkRefused; ///< why there is none
    std::optional<NotCompared> notCompared; ///< why there is nothing to check

    [[nodiscard]] const Program& program() const { return *snapshot->annotated; }
    /// What the devices run: their part of the program, or all of it.
    [[nodiscard]] const DeviceProgram& executed() const { return (partitioned ? partitioned : unsharded)->device; }
    /// One where the program could not be partitioned.
    [[nodiscard]] std::int64_t deviceCount() const { return notPartitioned ? 1 : executed().mesh->deviceCount(); }
    [[nodiscard]] std::int64_t failedExpectations() const;
    /// Exit code.
    [[nodiscard]] int status() const;
};

/// Threads and limits for executing the step once.
[[nodiscard]] ExecuteOptions executeOptions(const RunCommandOptions& options, std::vector<Observer*> observers = {});

/// Threads, limits, replicas and initial values for taking the steps.
[[nodiscard]] RunOptions stepOptions(const ProgramRun& run, const RunCommandOptions& options);

/// Where --out writes each result of the program. Throws UsageError where one file is named for several results.
[[nodiscard]] std::vector<std::string> outputFiles(const Program& program, const std::string& out);

/// Bytes of the values as one array each, not sharded.
[[nodiscard]] double fullBytes(const Program& program, const std::vector<ValueId>& values);

} // namespace shardscope::cli

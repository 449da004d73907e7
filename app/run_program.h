// SPDX-License-Identifier: GPL-3.0-or-later
// One run of an experiment's program on simulated devices: what its arguments begin with, what comes of the first step,
// further steps and their times, and the check. A network, a program in StableHLO text and a table of arrays are all
// one.
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

/// The norms where they are asked for and can be read.
struct StepRecord : StepFigures {
    double wall = 0; ///< seconds
};

/// Two states of a run, by the steps after which they are; 0 = at the start.
struct TwoStates {
    std::int64_t from = 0, to = 0;
};
/// "0,2". Nothing for what is no pair of numbers of steps, up to maxSteps.
[[nodiscard]] std::optional<TwoStates> twoStatesOf(const std::string& text);

struct RunCommandOptions {
    std::string file;
    std::vector<std::string> inputs; ///< files that hold arguments
    std::optional<std::uint64_t> seed; ///< of what is drawn; else that of the experiment
    std::vector<std::string> init; ///< what arguments begin with, NAME=KIND
    bool perDevice = false;
    bool check = true;
    bool values = false; ///< all arrays in full
    std::int64_t steps = 1;
    std::optional<bool> timeit; ///< whether steps are timed; absent: where it is not guessed what their state is
    std::int64_t runs = 0, loops = 0; ///< of timing; 0 = as the experiment says
    int threads = 0; ///< 0 = one per core, where the work is worth it
    std::string state; ///< as parseState() reads it; "" = the experiment's, else stateOf()
    std::string trace; ///< file for the times of instructions; empty: none
    std::int64_t loopLimit = defaultTrips; ///< trips of all loops of a device in one step
    std::string out; ///< a folder, or a .npy for a program with one result; empty: no files
    /// A transformer's tokens come from this text, another batch in every step (analysis/step_inputs.h); null: as they
    /// begin.
    std::shared_ptr<const std::string> text;
    bool needsTokens = false; ///< the text was chosen: a model without tokens is none for it
    std::optional<TwoStates> difference; ///< whose difference is wanted: as many steps are taken as that needs
    bool variables = false; ///< parameters and state are listed
    std::vector<std::string> freeze; ///< globs of variables that steps leave as they are
    bool initialise = false; ///< runs what makes the state of the network's step, in its place
    std::int64_t calls = 0; ///< the step is looked up so often, and how that went is told; 0: once, and it is not
    std::string jit; ///< parts that are compiled by themselves, as compiledParts() has them; empty: none
    bool needsState = false; ///< a program whose steps do not follow each other is none for it
    bool norms = false; ///< of parameters and gradients after each step
    std::function<void(const StepRecord&)> onStep; ///< after each of `steps`; may be empty
    /// Told what is done next, "step 3 of 8", and how one gets around it, or ""; may be empty.
    std::function<void(const QString&, const QString&)> onPhase;
    JsonTarget json;
};

struct NonFiniteFinding {
    NonFinite found;
    words::Runs runs = words::Runs::Reference;
    std::string value; ///< "%arg0", "%5"; empty where it has no name
    Shape index;
    QString sentence;
};

/// What the devices sent each other while they ran, as `comms` counts it: one line per kind, of the busiest device.
struct Exchanged {
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t times = 0;
    Rational sentBytes;
};

/// Why nothing was compared with a reference.
enum class NotCompared : std::uint8_t {
    OneDevice, ///< it runs the program in full, as the reference does
    OfOneDevice, ///< the text is what each of several devices runs
    NotPartitioned
};

/// Everything that a run found.
struct ProgramRun {
    Input input;
    SnapshotPtr snapshot;
    std::vector<Diagnostic> problems; ///< of input, analysis and partitioning; why it is not partitioned or checked
    DeviceStages::Partitioned partitioned; ///< null where no mesh is named or it could not be partitioned
    DeviceStages::Partitioned unsharded; ///< the reference, and what is run where it is not partitioned
    std::optional<Diagnostic> notPartitioned; ///< why not, where it has a mesh
    std::shared_ptr<const Plan> plan; ///< null for an experiment without operations: it has no step
    std::optional<std::uint64_t> deviceProgram; ///< hash of what every device of the mesh runs
    std::shared_ptr<const CollectiveList> collectives; ///< null where it could not be partitioned
    std::optional<PlannedMemory> memory; ///< likewise
    Starts starts;
    StepState state; ///< pairs of arguments and results
    Execution first; ///< what came of the first step; shards where they are asked for, or copies differ
    std::vector<StepRecord> steps; ///< those that were asked for
    std::vector<StageCount> stages; ///< of so many calls, where they are asked for
    std::vector<CompiledPart> parts; ///< compiled by themselves
    std::vector<ArrayDifference> difference; ///< of RunCommandOptions::difference, without shards
    std::optional<TimeitResult> timing;
    int threads = 1; ///< of steps
    bool isObserved = false; ///< what is exchanged and not finite has been looked for
    std::vector<Exchanged> exchanged;
    std::vector<NonFiniteFinding> nonFinite;
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

/// What one execution of a run is held to.
[[nodiscard]] ExecuteOptions executeOptions(const RunCommandOptions& options, std::vector<Observer*> observers = {});

/// What its steps are taken with.
[[nodiscard]] RunOptions stepOptions(const ProgramRun& run, const RunCommandOptions& options);

/// Runs the program of the input. What keeps it from being run, with the exit code, otherwise. Throws UsageError for
/// options that do not fit it.
[[nodiscard]] tl::expected<ProgramRun, Refused> runProgram(const RunCommandOptions& options);

} // namespace shardscope::cli

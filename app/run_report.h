// SPDX-License-Identifier: GPL-3.0-or-later
// What `run` says of a program in StableHLO text: its arrays, what devices hold, the check, NaN and infinity.
#pragma once

#include <optional>
#include <vector>

#include "partition/partition_program.h"
#include "pipeline/planned_memory.h"
#include "program/step_state.h"
#include "report.h"
#include "run_inputs.h"
#include "simulate/check/check.h"
#include "simulate/check/non_finite.h"
#include "simulate/run/execute.h"
#include "step_report.h"
#include "words/run_words.h"

namespace shardscope::cli {

struct NonFiniteFinding {
    NonFinite found;
    words::Runs runs = words::Runs::Reference;
    std::string value; ///< "arg0", "%5"
    Shape index;
    QString sentence;
};

/// What the devices sent each other while they ran, as `comms` counts it: one line per kind, of the busiest device.
struct Exchanged {
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t times = 0;
    Rational sentBytes;
};

/// Everything that a run found. Where no mesh is named or it could not be partitioned, `partitioned` and `devices` are
/// absent.
struct ProgramRun {
    std::string name; ///< of the file
    std::string title; ///< of the experiment
    std::vector<Diagnostic> problems; ///< warnings of reading and partitioning, why it is not partitioned
    ProgramPtr named; ///< with the paths of nameValues()
    std::shared_ptr<const PartitionedProgram> unsharded; ///< the reference
    std::shared_ptr<const PartitionedProgram> partitioned;
    std::optional<Diagnostic> notPartitioned; ///< why not, where it has a mesh
    GivenArrays inputs;
    std::optional<Execution> reference, devices;
    std::optional<CheckReport> check;
    std::vector<Exchanged> exchanged;
    std::vector<NonFiniteFinding> nonFinite;
    std::optional<PlannedMemory> memory; ///< as it was planned, where the program is partitioned
    StepState state; ///< pairs of arguments and results of `named`
    std::vector<StepRecord> steps; ///< those that were asked for, where there is state
    std::optional<TimeitResult> timing;
    int threads = 1; ///< of steps

    /// What the devices run: their part of the program, or all of it.
    [[nodiscard]] const PartitionedProgram& executed() const { return partitioned ? *partitioned : *unsharded; }
    /// One where the program could not be partitioned.
    [[nodiscard]] std::int64_t deviceCount() const
    {
        return notPartitioned ? 1 : executed().device.mesh->deviceCount();
    }
    /// Those of the devices where there are some, else of the reference.
    [[nodiscard]] const kernels::Arrays& results() const;
    [[nodiscard]] const std::vector<ExpectationFinding>& expectations() const;
    [[nodiscard]] std::int64_t failedExpectations() const;
};

/// "[{"x"}, {}]" of argument or result `index`; empty without a mesh.
[[nodiscard]] std::string shardingOf(const ProgramRun& run, bool input, std::size_t index);

/// What goes into the JSON beside summaries of all arrays.
struct RunJsonOptions {
    bool perDevice = false;
    bool values = false; ///< all elements of all arrays; else those of small ones
};
/// Arrays of more elements are summed up unless they are asked for.
inline constexpr std::int64_t maxListedElements = 64;

[[nodiscard]] std::string jsonText(const JsonTarget& target, const ProgramRun& run, const RunJsonOptions& options);
void printRun(Console& console, const ProgramRun& run, bool perDevice);

} // namespace shardscope::cli

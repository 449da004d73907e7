// SPDX-License-Identifier: GPL-3.0-or-later
// What `run` says and writes: arguments and results, what devices hold, steps and their times, the check, what was
// exchanged, memory, NaN and infinity.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compiled_parts.h"
#include "console.h"
#include "program_run.h"
#include "report.h"
#include "simulate/check/check.h"

namespace shardscope::cli {

/// The path of an argument, or "arg0".
[[nodiscard]] std::string argumentName(const Program& program, std::size_t number);

[[nodiscard]] std::string jsonText(const ProgramRun& run, const RunCommandOptions& options);
/// Each step with its loss, norms and time, as far as they are known.
[[nodiscard]] Json stepsJson(const std::vector<StepRecord>& steps);
void printRun(Console& console, const ProgramRun& run, const RunCommandOptions& options);

/// Where NaN and infinity begin, in the first step and in later ones. Nothing if all is finite.
void addNonFinite(Json& out, const ProgramRun& run);
void printNonFinite(Console& console, const ProgramRun& run);

/// Writes the results of the first step to outputFiles(), and with --per-device the shards beside them.
[[nodiscard]] Result<void> writeFiles(const ProgramRun& run, const RunCommandOptions& options);

// What `run` says of a check against the unsharded reference, of any program.

[[nodiscard]] Json checkJson(const CheckReport& report, const Program& program);
void printCheck(Console& console, const CheckReport& report, const Program& program);

// What `run` says of compiling: how often each stage was found in the cache, and parts that are compiled by themselves.

/// Of so many calls of the step.
[[nodiscard]] Json compilingJson(std::int64_t calls, const std::vector<StageCount>& stages);
void printCompiling(Console& console, std::int64_t calls, const std::vector<StageCount>& stages);

[[nodiscard]] Json compiledPartsJson(const std::vector<CompiledPart>& parts);
void printCompiledParts(Console& console, const std::vector<CompiledPart>& parts);

// run --variables: the arrays of a step that are no inputs, apart from the program: each has a slot, an argument of
// main that it is put into, and is mutable, if a result takes its place in the next step, or frozen.

struct StepVariable {
    std::size_t slot = 0; ///< number of the argument
    std::string kind; ///< "parameter", "state variable"
    std::optional<std::size_t> next; ///< the result that it is in the next step; nothing: it is frozen
};
/// Arguments that are parameters, or of the state.
[[nodiscard]] std::vector<StepVariable> variablesOf(const Program& program, const StepState& state);

[[nodiscard]] Json variablesJson(const ProgramRun& run);
void printVariables(Console& console, const ProgramRun& run);

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// What `run` says and writes: arguments and results, what devices hold, steps and their times, the check, what was
// exchanged, memory, NaN and infinity.
#pragma once

#include <string>
#include <vector>

#include "run_program.h"

namespace shardscope::cli {

/// The path of an argument, or "arg0".
[[nodiscard]] std::string argumentName(const Program& program, std::size_t number);

[[nodiscard]] std::string jsonText(const ProgramRun& run, const RunCommandOptions& options);
/// Each step with its loss, norms and time, as far as they are known.
[[nodiscard]] Json stepsJson(const std::vector<StepRecord>& steps);
void printRun(Console& console, const ProgramRun& run, const RunCommandOptions& options);

/// Where --out writes each result to. Throws UsageError where one file is named for several results.
[[nodiscard]] std::vector<std::string> outputFiles(const Program& program, const std::string& out);
/// Writes them there.
[[nodiscard]] Result<void> writeFiles(const ProgramRun& run, const RunCommandOptions& options);

} // namespace shardscope::cli

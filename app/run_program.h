// SPDX-License-Identifier: GPL-3.0-or-later
// Runs an experiment's program on simulated devices, stage by stage: reads it, propagates and partitions it, takes the
// first step and further ones, times them, and checks the first against the unsharded reference. A network, a program
// in StableHLO text and a table of arrays all go through here.
#pragma once

#include "program_run.h"

namespace shardscope::cli {

/// Runs the program of `options.file`. If it cannot be run: the reasons and the exit code. Throws UsageError for
/// options that do not fit the program.
[[nodiscard]] tl::expected<ProgramRun, Refused> runProgram(const RunCommandOptions& options);

} // namespace shardscope::cli

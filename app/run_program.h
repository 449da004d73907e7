// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope run FILE.mlir: a program in StableHLO text, executed on arrays that somebody gives.
#pragma once

#include <optional>
#include <string>

#include "report.h"
#include "run_inputs.h"

namespace shardscope::cli {

struct ProgramRunOptions {
    std::string file;
    std::optional<std::string> text; ///< of standard input
    InputOptions inputs;
    bool perDevice = false;
    bool check = true;
    std::string out; ///< a folder, or a .npy for a program with one result; empty: no files
    JsonTarget json;
};

/// Returns the exit code. Throws CLI::ValidationError for options that do not go together.
[[nodiscard]] int runProgram(const ProgramRunOptions& options);

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope run FILE.mlir: a program in StableHLO text, executed on arrays that somebody gives.
#pragma once

#include <optional>
#include <string>

#include "program_input.h"
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

/// Returns the exit code. Throws CLI::ValidationError for options that do not go together. Without inputs arguments are
/// random, with the seed 0.
[[nodiscard]] int runProgram(const ProgramRunOptions& options);
/// The same for a program that has been read, and that `file` and `text` do not name.
[[nodiscard]] int runProgram(const ProgramRunOptions& options, const ProgramInput& input);

} // namespace shardscope::cli

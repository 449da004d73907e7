// SPDX-License-Identifier: GPL-3.0-or-later
// shardscope run FILE.mlir: a program in StableHLO text, executed on arrays that somebody gives.
#pragma once

#include <optional>
#include <string>

#include "input.h"
#include "report.h"
#include "run_inputs.h"
#include "simulate/run/run.h"

namespace shardscope::cli {

struct ProgramRunOptions {
    std::string file;
    std::optional<std::string> text; ///< of standard input
    std::vector<std::string> inputs; ///< files that hold arguments
    std::optional<std::uint64_t> seed; ///< of what is drawn; else that of the experiment
    std::vector<std::string> init; ///< what arguments begin with, NAME=KIND
    bool perDevice = false;
    bool check = true;
    bool values = false; ///< all arrays in full in the JSON
    std::int64_t steps = 1; ///< of a program that has state
    std::optional<bool> timeit; ///< whether steps are timed; absent: where the text says what its state is
    std::int64_t runs = 0, loops = 0; ///< of timing; 0 = as the experiment says
    int threads = 0; ///< 0 = one per core, where the work is worth it
    std::string state; ///< as parseState() reads it; "" = the experiment's, else stateOf()
    std::string trace; ///< file for the times of instructions; empty: none
    std::int64_t loopLimit = defaultTrips; ///< trips of all loops of one execution
    std::string out; ///< a folder, or a .npy for a program with one result; empty: no files
    JsonTarget json;
};

/// Runs the program of `file` and `text`. Returns the exit code. Throws CLI::ValidationError for options that do not go
/// together. Without inputs arguments are random, with the seed of the experiment (0 for a text alone).
[[nodiscard]] int runProgram(const ProgramRunOptions& options);
/// The same for an experiment with such a program, which has been analysed and has its layout.
[[nodiscard]] int runProgram(const ProgramRunOptions& options, const Input& input, const Snapshot& snapshot);

} // namespace shardscope::cli

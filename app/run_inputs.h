// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a program that is run: from files, or random.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "program/program.h"
#include "simulate/run/initial_values.h"

namespace shardscope::cli {

struct GivenArrays {
    std::vector<kernels::Array> arrays; ///< one per argument of main
    std::vector<std::string> from; ///< "x.npy", "random, seed 7", "normal 0.02, seed 7"
    std::vector<std::optional<InitialValue>> starts; ///< what they were made as; nothing of what a file gave
};

struct InputOptions {
    std::vector<std::string> files; ///< .json, .npy, .npz, NAME=FILE.npy
    InitialValues initial; ///< for arguments that no file gives
    bool drawn = true; ///< also those for which nothing was chosen
};

/// What every argument of main is called: "arg0", and its own name where it has one.
[[nodiscard]] std::vector<std::vector<std::string>> argumentNames(const Program& program);
/// "arg0 tensor<8x16xf32>, arg1 tensor<16xf32>", of many the first ones.
[[nodiscard]] std::string argumentList(const Program& program);

/// "random, seed 7" of what an argument's use decides, else "normal 0.02, seed 7", "zeros", "file w.npy".
[[nodiscard]] std::string originOf(const ArgumentStart& start, std::uint64_t seed);
/// Takes choices as --init has them, "NAME=KIND", into the experiment: after its own, so that they count. Errors: those
/// of parseChosenInitial().
[[nodiscard]] Result<void> choose(Experiment& experiment, const std::vector<std::string>& chosen);
/// Errors: UnknownValue for the first choice that no argument begins with.
[[nodiscard]] Result<void> checkChosen(const Program& program, const std::vector<std::string>& chosen);

/// Files are opened only as far as their arrays fit the program. Every diagnostic names its file.
[[nodiscard]] tl::expected<GivenArrays, std::vector<Diagnostic>> readInputs(
    const Program& program, const InputOptions& options);

} // namespace shardscope::cli

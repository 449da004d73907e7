// SPDX-License-Identifier: GPL-3.0-or-later
// What the arguments of a program that is run begin with: arrays from files, what was chosen, or a default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "simulate/run/initial_values.h"

namespace shardscope::cli {

struct Starts {
    InitialValues initial; ///< with the arrays of files
    InitialArrays arrays; ///< of the same
    std::vector<std::string> from; ///< per argument: "x.npy", "random, seed 7", "normal 0.02, seed 7"
    std::vector<std::optional<InitialValue>> chosen; ///< what they are made as; nothing of what a file gives
};

/// The same choices, where those by what the location of an argument calls it ("state.params['w']", or a glob of that)
/// are by its number.
[[nodiscard]] std::vector<std::string> byNumber(const Experiment& experiment, const std::vector<std::string>& chosen);
/// Takes choices as --init has them, "NAME=KIND", into the experiment: after its own, so that they count. Errors: those
/// of parseChosenInitial().
[[nodiscard]] Result<void> choose(Experiment& experiment, const std::vector<std::string>& chosen);
/// Errors: UnknownValue for the first choice that no argument begins with.
[[nodiscard]] Result<void> checkChosen(const Program& program, const std::vector<std::string>& chosen);

/// `files`: .json, .npy, .npz, NAME=FILE.npy; for the other arguments `initial`. Without `drawn` these have to be
/// chosen. Files are opened only as far as their arrays fit the program. Every error of a file names it.
[[nodiscard]] Result<Starts> startsOf(
    const Program& program, const std::vector<std::string>& files, InitialValues initial, bool drawn);

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// The first experiments that come with the program, as values. Their written forms stand in resources/examples/ among
// those of the gallery (experiment_file/gallery.h).
#pragma once

#include <string_view>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

struct Example {
    std::string_view id; ///< "flax-mlp-logical"
    std::string_view title;
    std::string_view question; ///< what it answers, in one sentence
    Experiment (*make)();
};

/// flax-mlp-logical (the one the window opens with), flax-mlp-device, rule-lab.
[[nodiscard]] const std::vector<Example>& builtinExamples();
/// The program of an experiment's model, and what is worth knowing about how it was read.
struct BuiltProgram {
    Program program;
    std::vector<Diagnostic> warnings;
};
/// Errors of a program's text have its line and column, and the file's name (or "program") as place.
[[nodiscard]] Result<BuiltProgram> buildProgram(const Experiment& experiment);

/// An experiment around a program in StableHLO's text: its mesh, on as many devices, no rules. Errors as
/// buildProgram().
[[nodiscard]] Result<Experiment> experimentOf(ProgramModel program, std::string title);

} // namespace shardscope

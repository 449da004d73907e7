// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that a command is given: as StableHLO text, or as the model of an experiment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/program.h"
#include "propagation/setting.h"
#include "report.h"

namespace shardscope::cli {

struct ProgramInput {
    std::string name; ///< of the file; "standard input" for "-"
    Program program; ///< legal
    std::vector<Diagnostic> warnings; ///< of reading
};

/// The program of a file, or of a text from it. Everything that is wrong with it otherwise; every diagnostic names the
/// file.
[[nodiscard]] tl::expected<ProgramInput, std::vector<Diagnostic>> loadProgram(const std::string& file);
[[nodiscard]] tl::expected<ProgramInput, std::vector<Diagnostic>> loadProgram(
    const std::string& file, const std::string& text);

/// A text with all that is wrong with it and all that it warns of, in the order of places.
struct CheckedProgram {
    std::optional<Program> program; ///< absent where reading came to an end
    std::vector<Diagnostic> findings; ///< at most maximumListed
    std::size_t leftOut = 0; ///< findings beyond these
    [[nodiscard]] bool isLegal() const;
};
inline constexpr std::size_t maximumListed = 200;
[[nodiscard]] CheckedProgram checkProgram(const std::string& name, const std::string& text);

/// Whether a command's FILE is an experiment, by its id or by what is in it: `text` is that of the file, or of standard
/// input.
[[nodiscard]] bool isExperiment(const std::string& file, const std::string& text);

/// A program with what was given as shardings of its own; nothing is propagated.
struct GivenInput {
    Program program; ///< legal
    std::vector<Diagnostic> problems; ///< of the text, or of the experiment
    PropagationSetting setting = {}; ///< of the experiment
    bool isNetwork = false; ///< built in, with names for its values
    int status = Done;
};
/// What keeps from having one, and the exit code that goes with it.
struct RefusedInput {
    std::vector<Diagnostic> problems;
    int status = BadInput;
};
/// Of a text, an experiment's file, or the name of a built-in example.
[[nodiscard]] tl::expected<GivenInput, RefusedInput> loadGiven(const std::string& file);

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that a command is given: as StableHLO text, or as the model of an experiment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input.h"
#include "program/program.h"
#include "propagation/setting.h"
#include "report.h"

namespace shardscope::cli {

/// A text with all that is wrong with it and all that it warns of, in the order of places.
struct CheckedProgram {
    std::optional<Program> program; ///< absent where reading came to an end
    std::vector<Diagnostic> findings; ///< at most maximumListed
    std::size_t leftOut = 0; ///< findings beyond these
    [[nodiscard]] bool isLegal() const;
};
inline constexpr std::size_t maximumListed = 200;
[[nodiscard]] CheckedProgram checkProgram(const std::string& name, std::string_view text);
/// The same, letting go of the text on the way.
[[nodiscard]] CheckedProgram checkProgram(const std::string& name, std::string&& text);

/// Of its findings.
[[nodiscard]] std::vector<Diagnostic> errorsOf(const CheckedProgram& checked);
/// All that is illegal in an input that is a program by itself.
[[nodiscard]] std::vector<Diagnostic> illegalities(const Input& input);

/// A program with what was given as shardings of its own; nothing is propagated.
struct SpecifiedInput {
    Program program; ///< legal
    std::vector<Diagnostic> problems; ///< of the text, or of the experiment
    PropagationSetting setting = {}; ///< of the experiment
    int status = Done;
};
/// Of a text, an experiment's file, or the name of a built-in example.
[[nodiscard]] tl::expected<SpecifiedInput, Refused> loadSpecified(const std::string& file);

} // namespace shardscope::cli

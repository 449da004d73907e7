// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in StableHLO text that a command is given.
#pragma once

#include <string>
#include <vector>

#include "program/program.h"

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

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// The passes of reference cases by their names in Shardy: those of propagation, and those around reshards and
// collectives.
//
//     const auto outcome = passes::run(std::move(program), { { "sdy-close-shardings", {} } });
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program/program.h"

namespace shardscope::passes {

struct PassCall {
    std::string name;
    std::vector<std::pair<std::string, std::string>> options; ///< "dedup-functions-fully", "true"
};
struct PassOutcome {
    Program program;
    std::vector<Diagnostic> warnings;
};

/// The passes of propagation, one after the other, until one fails. Errors: those of the passes; UnknownValue for a
/// pass, an option or a value that is not known.
[[nodiscard]] Result<PassOutcome> run(Program program, const std::vector<PassCall>& calls);
/// The same with the passes around reshards and collectives, which count before those of the same name.
[[nodiscard]] Result<PassOutcome> runAny(Program program, const std::vector<PassCall>& calls);

} // namespace shardscope::passes

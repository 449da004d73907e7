// SPDX-License-Identifier: GPL-3.0-or-later
// run --variables: the arrays of a step that are no inputs, apart from the program: each has a slot, an argument of
// main that it is put into, and is mutable, if a result takes its place in the next step, or frozen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console.h"
#include "report.h"
#include "run_program.h"

namespace shardscope::cli {

struct StepVariable {
    std::size_t slot = 0; ///< number of the argument
    std::string kind; ///< "parameter", "state variable"
    std::optional<std::uint32_t> next; ///< the result that it is in the next step; nothing: it is frozen
};
/// Arguments that are parameters, or of the state.
[[nodiscard]] std::vector<StepVariable> variablesOf(const Program& program, const StepState& state);

[[nodiscard]] Json variablesJson(const ProgramRun& run);
void printVariables(Console& console, const ProgramRun& run);

} // namespace shardscope::cli

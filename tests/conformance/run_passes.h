// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the passes that a case lists, propagation among them.
#pragma once

#include "conformance/checker.h"
#include "propagation/propagate_program.h"

namespace shardscope::conformance {

struct PropagationRun {
    Program input; ///< of the pass that propagates
    PropagatedProgram propagated;
    PropagationOptions options;
    Program output; ///< of the last pass
};

/// The error says which pass cannot be run.
[[nodiscard]] tl::expected<PropagationRun, std::string> runPasses(const Json& oneCase, Program program);

} // namespace shardscope::conformance

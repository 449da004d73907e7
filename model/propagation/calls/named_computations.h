// SPDX-License-Identifier: GPL-3.0-or-later
// Calls as regions, for the time of propagation, and back.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Calls become named computations, with data-flow edges; only main is left of the functions.
[[nodiscard]] Program importFunctionCalls(Program program);
/// Named computations become calls of new private functions; their edges go.
[[nodiscard]] Program exportNamedComputations(Program program);

} // namespace shardscope::passes

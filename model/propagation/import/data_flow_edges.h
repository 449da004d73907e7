// SPDX-License-Identifier: GPL-3.0-or-later
// Data-flow edges: the values in which operations with bodies hand on what flows through them.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// An edge after each result of while, case, barrier, manual and named computation, and at each argument of the bodies
/// of the last two; static tensors only. An edge holds the sharding of its value and takes over all uses.
[[nodiscard]] Program addDataFlowEdges(Program program);
/// Edges go; their shardings move to the values that they stood for.
[[nodiscard]] Program sinkDataFlowEdges(Program program);
/// Edges at arguments of functions other than main and at results of calls: instead of one body per call.
[[nodiscard]] Program addFunctionDataFlowEdges(Program program);
[[nodiscard]] Program sinkFunctionDataFlowEdges(Program program);

} // namespace shardscope::passes

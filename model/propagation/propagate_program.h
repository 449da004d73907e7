// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings written back into a program, where its text has them: on arguments, results and operations, in the
// attributes of constraints, edges and computations with a boundary.
#pragma once

#include "propagation/propagate.h"

namespace shardscope {

/// Of an input without a mesh of its own. Values that have no sharding get none. What hands its sharding to an edge
/// operation keeps its own. `dropPriorities`: of all shardings; otherwise of those that have changed.
[[nodiscard]] Program withShardings(const Program& program, const PropagationResult& result, bool dropPriorities);

struct PropagatedProgram {
    Program program; ///< with constraints for the members of groups that disagree
    PropagationResult result; ///< over that program
    std::vector<std::int64_t> groupConflicts;
};
/// Propagates the program's own shardings as a pass: groups are resolved, shardings written back.
[[nodiscard]] PropagatedProgram propagateProgram(
    const Program& program, Strategy strategy, const PropagationOptions& options = {});

} // namespace shardscope

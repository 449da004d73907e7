// SPDX-License-Identifier: GPL-3.0-or-later
// Sharding groups: values that are to have one sharding.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Groups that share a value become one; ids 0, 1, ... in the order of the program. Error: members of different shapes,
/// or in the bodies of different manual computations.
[[nodiscard]] Result<Program> importShardingGroups(Program program);
[[nodiscard]] Program removeShardingGroups(Program program);

} // namespace shardscope::passes

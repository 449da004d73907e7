// SPDX-License-Identifier: GPL-3.0-or-later
// Custom calls that stand for operations and declarations of Shardy.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Custom calls that stand for what Shardy has become that: importManualRegions(), @Sharding a constraint,
/// @xla.sdy.ShardingGroup a group,
/// @xla.sdy.FuncResultSharding what its function declares for the result that returns it. Others stay.
[[nodiscard]] Program importCustomCalls(Program program);

} // namespace shardscope::passes

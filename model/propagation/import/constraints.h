// SPDX-License-Identifier: GPL-3.0-or-later
// Sharding constraints: what nothing contradicts is the sharding of their input.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Constraints that nothing contradicts become the sharding of their input; a constraint without a sharding asks for
/// nothing. Uses of a value after a chain of constraints on it mean the end of the chain.
[[nodiscard]] Program applyShardingConstraints(Program program);

} // namespace shardscope::passes

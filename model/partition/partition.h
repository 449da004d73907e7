// SPDX-License-Identifier: GPL-3.0-or-later
// Partitioning: explicit reshards, then each reshard as a sequence of collectives, after OpenXLA Shardy.
#pragma once

#include "partition/device_program.h"
#include "partition/reshard.h"
#include "propagation/propagate.h"

namespace shardscope {

/// All-or-nothing per operation: where operands and results agree per factor nothing is inserted; otherwise one
/// sharding per factor is chosen and the others are resharded to it. Reduction factors that are sharded give an
/// all-reduce right after their operation. Errors: NotExecutable when an uneven sharding meets an operation without a
/// masking rule. `optimalReshards`: the collectives of every reshard are those that send the fewest bytes, not Shardy's
/// sequence.
[[nodiscard]] Result<DeviceProgram> partition(
    const PropagationInput& input, const PropagationResult& shardings, bool optimalReshards = false);

} // namespace shardscope

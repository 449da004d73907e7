// SPDX-License-Identifier: GPL-3.0-or-later
// The pass that puts the collectives of OpenXLA Shardy in the place of reshards.
#pragma once

#include <utility>
#include <vector>

#include "program/program.h"

namespace shardscope::passes {

struct ReshardOptions {
    bool keepRedundant = false; ///< reshards that do nothing stay
    bool optimal = false; ///< optimalSteps() in the place of shardySteps(), where all their blocks are of one size
    bool even = false; ///< no step leads over blocks of different sizes (Blocks::Even)
};

/// Every sdy.reshard becomes shardySteps() of it, as operations over the axes of its mesh; arrays whose sizes do not
/// divide are treated as if they did, unless `even` is asked for.
///
///     %1 = sdy.reshard %0 [{"x"}, {}]              with %0 [{"x"}, {"y"}]
///     %1 = sdy.all_gather [{}, {"y"}] %0 out_sharding [{"x"}, {}]
///
/// A missing sharding of the operand, and one on the mesh without axes, is replicated on the reshard's mesh. Barriers
/// in front of the reshard are looked through for the operand's sharding. An array that is replicated on both sides, or
/// whose shardings are equivalent, needs nothing: its reshard goes, or stays with `keepRedundant`. A replicated
/// result keeps the mesh of the operand. A reshard stays where the two meshes have other axes, where one of them is a
/// single device, and where the result is unreduced over axes that the operand is not.
///
/// `origins`: every added operation with the reshard that it is a step of.
[[nodiscard]] Program reshardToCollectives(
    Program program, ReshardOptions options = {}, std::vector<std::pair<OperationId, OperationId>>* origins = nullptr);

} // namespace shardscope::passes

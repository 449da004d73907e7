// SPDX-License-Identifier: GPL-3.0-or-later
// What propagation begins with: the shardings that a program has, one for each value.
#pragma once

#include "propagation/propagate.h"
#include "propagation/sharding_table.h"

namespace shardscope {

struct InitialShardings {
    std::vector<ShardingNumber> values; ///< per ValueId
    std::vector<ShardingNumber> results; ///< declared, per result of main
    /// A record per axis. Where an operation asks for it (a constraint, a computation with a boundary) `operation` is
    /// that one, and `toTensor` says for which of its operands or results. An axis that a manual computation takes over
    /// has the argument of the body as `to`, which does not hold it, and the operand, which is to be sharded by it, as
    /// `from`.
    std::vector<PropagationStep> records;
};

[[nodiscard]] InitialShardings initialShardings(
    const Program& program, const MeshTable& meshes, ShardingTable& shardings);

} // namespace shardscope

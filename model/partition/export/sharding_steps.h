// SPDX-License-Identifier: GPL-3.0-or-later
// From the sharding that a value has to the one in which it is wanted, with partial values: what is to be added up,
// what is to be resharded, what is to become partial.
#pragma once

#include <vector>

#include "program/other_attributes.h"
#include "program/program.h"

namespace shardscope::passes {

/// One operation of the way; its attributes carry the sharding after it.
struct ShardingStep {
    OpKind kind = OpKind::Reshard; ///< Reshard, SdyAllReduce, ReplicatedToUnreduced, ShardedToUnreduced
    ProgramSharding after;
    Attributes attributes;
};

/// Adds up what `to` does not keep partial; then makes partial what it has more; then (`reshards`) reshards if the two
/// are not equivalent yet. A missing `from` is replicated, a missing `to` replicated over the mesh of `from`.
///
///     [{y}, {x}] to [{y}, {}] unreduced={x}     ->  sharded_to_unreduced [{}, {x}]: no communication
///     [{}, {}] unreduced={x} to [{x}, {}]       ->  all_reduce {x}, reshard
[[nodiscard]] std::vector<ShardingStep> shardingSteps(
    const ProgramSharding* from, const ProgramSharding* to, std::size_t rank, bool reshards);

/// Adds up over `axes`, and keeps the rest of the sharding.
[[nodiscard]] ShardingStep allReduceStep(const ProgramSharding& from, const AxisList& axes, ReduceKind kind);
/// `to` has unreduced axes that `from` lacks.
[[nodiscard]] bool becomesPartial(const ProgramSharding& from, const ProgramSharding& to);

} // namespace shardscope::passes

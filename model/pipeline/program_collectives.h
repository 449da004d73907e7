// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a program in a text: those that partitioning puts in, and those that the text itself has.
#pragma once

#include "partition/partition_program.h"
#include "pipeline/collective_list.h"

namespace shardscope {

/// The settings of the experiment, for partitioning.
[[nodiscard]] PartitionOptions partitionOptions(const Experiment& experiment);

/// Of a partitioned program. Its values get the paths that they have in the snapshot's program, as far as that has
/// them, under the same ids.
[[nodiscard]] CollectiveList collectivesOf(ShardedProgram sharded, const Snapshot& snapshot);

} // namespace shardscope

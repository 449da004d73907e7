// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a program in a text: those that partitioning puts in, and those that the text itself has.
#pragma once

#include "partition/partition_program.h"
#include "pipeline/collective_list.h"

namespace shardscope {

/// Of a partitioned program. Its values get the paths that they have in the snapshot's program, as far as that has
/// them, under the same ids.
[[nodiscard]] CollectiveList collectivesOf(ShardedProgram sharded, const Snapshot& snapshot);

/// What an operation of a device's own program sends in one execution; nothing for one that exchanges nothing.
struct DeviceExchange {
    CollectiveKind kind = CollectiveKind::AllReduce;
    Rational sentBytes; ///< ring model, at most on any device
};
[[nodiscard]] std::optional<DeviceExchange> deviceExchange(const Program& device, const Operation& operation);

} // namespace shardscope

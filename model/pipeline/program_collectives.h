// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a program: those that partitioning puts in, and those that the program itself has.
#pragma once

#include "pipeline/collective_list.h"
#include "pipeline/device_stages.h"

namespace shardscope {

/// Of what the snapshot's program was sharded to. Values have the paths that they have in the snapshot's program.
[[nodiscard]] CollectiveList collectivesOf(DeviceStages::Sharded sharded, const Snapshot& snapshot);
/// Of what a program was sharded to whose values and operations stand in there under the same ids.
[[nodiscard]] CollectiveList collectivesOf(DeviceStages::Sharded sharded, ProgramPtr program);

/// What an operation of a device's own program sends in one execution; nothing for one that exchanges nothing.
struct DeviceExchange {
    CollectiveKind kind = CollectiveKind::AllReduce;
    Rational sentBytes; ///< ring model, at most on any device
};
[[nodiscard]] std::optional<DeviceExchange> deviceExchange(const Program& device, const Operation& operation);

} // namespace shardscope

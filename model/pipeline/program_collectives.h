// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a program: those that partitioning puts in, and those that the program itself has.
#pragma once

#include "pipeline/collective_list.h"

namespace shardscope {

/// Of what `program` was sharded to: its values and operations stand in there under the same ids.
[[nodiscard]] CollectiveList listCollectives(std::shared_ptr<const ShardedProgram> sharded, const Program& program);

/// What an operation of a device's own program sends in one execution; nothing for one that exchanges nothing.
struct DeviceExchange {
    CollectiveKind kind = CollectiveKind::AllReduce;
    Rational sentBytes; ///< ring model, at most on any device
};
[[nodiscard]] std::optional<DeviceExchange> deviceExchange(const Program& device, const Operation& operation);

} // namespace shardscope

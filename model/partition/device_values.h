// SPDX-License-Identifier: GPL-3.0-or-later
// What the values of a per-device program are shards of: those of the program that was partitioned, and those that
// collectives make on the way.
#pragma once

#include <optional>
#include <vector>

#include "partition/partition_program.h"

namespace shardscope {

struct DeviceShard {
    ShardedArray array; ///< the full one, and how it lies on the devices
    ValueId meant; ///< of the program as it was given; invalid for what came with the partition
    bool addends = false; ///< devices hold what is still to be added up; `array.sharding` says over which axes
};

class DeviceValues {
public:
    DeviceValues(const Program& source, const PartitionedProgram& parts);
    /// Of a value of PartitionedProgram::device; null for what is a shard of nothing: offsets and the like.
    [[nodiscard]] const DeviceShard* of(ValueId value) const
    {
        return value.index < m_shards.size() && m_shards[value.index] ? &*m_shards[value.index] : nullptr;
    }

private:
    std::vector<std::optional<DeviceShard>> m_shards; ///< by value of the device
};

} // namespace shardscope

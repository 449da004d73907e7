// SPDX-License-Identifier: GPL-3.0-or-later
// Which array each value of a per-device program is a shard of, and how that array is sharded. It is an array of the
// program that was partitioned, or one that collectives make on the way.
//
//     source:  %h = dot_general %x, %w    tensor<8x16>, [{x}, {}]; %w is sharded over y where it is contracted
//     device:  %h : tensor<4x16>          of(%h): tensor<8x16>, [{x}, {}] unreduced over {y}, addends = true
#pragma once

#include <optional>
#include <vector>

#include "partition/partition_program.h"

namespace shardscope {

struct DeviceShard {
    ShardedArray array; ///< the global array and its sharding
    ValueId meant; ///< the value of the source program that it is; invalid for arrays that partitioning added
    bool addends = false; ///< still to be summed over the unreduced axes of `array.sharding`
};

class DeviceValues {
public:
    DeviceValues(const Program& source, const PartitionedProgram& parts);
    /// For a value of PartitionedProgram::device. Null if it is a shard of no array, such as an offset.
    [[nodiscard]] const DeviceShard* of(ValueId value) const
    {
        return value.index < m_shards.size() && m_shards[value.index] ? &*m_shards[value.index] : nullptr;
    }

private:
    std::vector<std::optional<DeviceShard>> m_shards; ///< by value of the device
};

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/device_stages.h"

#include <utility>

namespace shardscope {

DeviceStages::DeviceStages(ProgramPtr program, Shardings shardings, const passes::PipelineOptions& options)
    : m_program(std::move(program))
    , m_shardings(shardings)
    , m_options(options)
{
}

const Result<DeviceStages::Sharded>& DeviceStages::shardedIn(Slot& slot, bool optimalReshards) const
{
    if (!slot.sharded) {
        PartitionOptions options;
        options.pipeline = m_options;
        options.optimalReshards = optimalReshards;
        Result<ShardedProgram> made =
            m_shardings == Shardings::Given ? shardProgram(*m_program, options) : shardPropagated(*m_program, options);
        if (made)
            slot.sharded = std::make_shared<const ShardedProgram>(std::move(*made));
        else
            slot.sharded = tl::unexpected<Error>(std::move(made.error()));
    }
    return *slot.sharded;
}

Result<DeviceStages::Sharded> DeviceStages::sharded(bool optimalReshards) const
{
    Slot& slot = m_slots[optimalReshards ? 1 : 0];
    const std::lock_guard lock(slot.mutex);
    return shardedIn(slot, optimalReshards);
}

Result<DeviceStages::Partitioned> DeviceStages::partitioned(bool optimalReshards) const
{
    Slot& slot = m_slots[optimalReshards ? 1 : 0];
    const std::lock_guard lock(slot.mutex);
    if (!slot.partitioned) {
        const Result<Sharded>& sharded = shardedIn(slot, optimalReshards);
        if (!sharded)
            return tl::unexpected<Error>(sharded.error());
        Result<PartitionedProgram> made = partitionProgram(ShardedProgram(**sharded));
        if (made)
            slot.partitioned = std::make_shared<const PartitionedProgram>(std::move(*made));
        else
            slot.partitioned = tl::unexpected<Error>(std::move(made.error()));
    }
    return *slot.partitioned;
}

} // namespace shardscope

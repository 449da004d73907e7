// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/device_stages.h"

#include <utility>

#include "partition/unsharded.h"
#include "program/over_mesh.h"
#include "simulate/collectives/collective_groups.h"

namespace shardscope {

DeviceStages::DeviceStages(
    ProgramPtr program, Shardings shardings, const passes::PipelineOptions& options, std::vector<TensorSharding> shown)
    : m_program(std::move(program))
    , m_shardings(shardings)
    , m_options(options)
    , m_shown(std::move(shown))
{
}

const Result<DeviceStages::Sharded>& DeviceStages::shardedIn(Slot& slot, bool optimalReshards) const
{
    if (!slot.sharded) {
        PartitionOptions options;
        options.pipeline = m_options;
        options.optimalReshards = optimalReshards;
        Result<ShardedProgram> made = m_shardings == Shardings::Annotated ? shardProgram(*m_program, options)
                                                                          : shardPropagated(*m_program, options);
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

Result<DeviceStages::Partitioned> DeviceStages::inFull() const
{
    const std::lock_guard lock(m_mutex);
    if (!m_inFull) {
        // A text without a mesh was given one of a single device.
        const std::optional<std::uint32_t> main = mainMesh(*m_program);
        const bool isOverOne = !main || m_program->meshes[*main].mesh->deviceCount() == 1;
        const DeviceCounts devices = isOverOne ? devicesSpokenTo(*m_program) : DeviceCounts();
        m_inFull = unsharded(*m_program, devices).map([](PartitionedProgram made) {
            return std::make_shared<const PartitionedProgram>(std::move(made));
        });
    }
    return *m_inFull;
}

Result<std::shared_ptr<const Plan>> DeviceStages::planOf(
    Partitioned parts, const StepState& state, const std::vector<ValueId>& keep) const
{
    Result<FlatProgram> flat = flatten(m_program, std::move(parts), state, m_shown);
    if (!flat)
        return tl::unexpected<Error>(std::move(flat.error()));
    ScheduleOptions options;
    options.keep = keep;
    Result<Plan> plan = schedule(std::make_shared<const FlatProgram>(std::move(*flat)), options);
    if (!plan)
        return tl::unexpected<Error>(std::move(plan.error()));
    return std::make_shared<const Plan>(std::move(*plan));
}

Result<std::shared_ptr<const Plan>> DeviceStages::planned(const StepState& state, std::vector<ValueId> keep) const
{
    const std::lock_guard lock(m_plan.mutex);
    if (m_plan.plan && m_plan.state == state && m_plan.keep == keep)
        return *m_plan.plan;
    // Without a mesh one device executes it as it is.
    m_plan.plan = (mainMesh(*m_program) ? partitioned() : inFull()).and_then([&](Partitioned parts) {
        return planOf(std::move(parts), state, keep);
    });
    m_plan.state = state;
    m_plan.keep = std::move(keep);
    return *m_plan.plan;
}

Result<std::shared_ptr<const Plan>> DeviceStages::plannedInFull(const StepState& state) const
{
    return inFull().and_then([&](Partitioned parts) { return planOf(std::move(parts), state, {}); });
}

} // namespace shardscope

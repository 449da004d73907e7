// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/device_stages.h"

#include <algorithm>

#include "base/meanwhile.h"
#include "partition/unsharded.h"
#include "pipeline/memory_placement.h"
#include "pipeline/program_collectives.h"
#include "program/device_counts.h"
#include "program/over_mesh.h"
#include "schedule/plan.h"

namespace shardscope {

namespace {

/// The result of a stage, to be shared by all who ask.
template <class T>
Result<std::shared_ptr<const T>> shared(Result<T> made)
{
    if (!made)
        return tl::unexpected<Error>(std::move(made.error()));
    return std::make_shared<const T>(std::move(*made));
}

} // namespace

DeviceStages::DeviceStages(Input input)
    : m_input(std::move(input))
{
}

const Result<DeviceStages::Sharded>& DeviceStages::shardedIn(Slot& slot) const
{
    if (!slot.sharded)
        slot.sharded = shared(shardPropagated(*m_input.program, *m_input.propagation, &slot == &m_slots[1]));
    return *slot.sharded;
}

Result<DeviceStages::Sharded> DeviceStages::sharded(bool optimalReshards) const
{
    Slot& slot = m_slots[optimalReshards ? 1 : 0];
    const std::lock_guard lock(slot.mutex);
    return shardedIn(slot);
}

Result<DeviceStages::Collectives> DeviceStages::collectives(bool optimalReshards) const
{
    Slot& slot = m_slots[optimalReshards ? 1 : 0];
    const std::lock_guard lock(slot.mutex);
    if (!slot.collectives)
        slot.collectives = shardedIn(slot).map([&](const Sharded& sharded) {
            return std::make_shared<const CollectiveList>(listCollectives(sharded, *m_input.program));
        });
    return *slot.collectives;
}

const Result<DeviceStages::Partitioned>& DeviceStages::uncheckedIn(Slot& slot) const
{
    if (!slot.partitioned)
        slot.partitioned =
            shardedIn(slot).and_then([](const Sharded& sharded) { return shared(partitionUnchecked(sharded)); });
    return *slot.partitioned;
}

Result<DeviceStages::Partitioned> DeviceStages::partitioned(bool optimalReshards) const
{
    Slot& slot = m_slots[optimalReshards ? 1 : 0];
    const std::lock_guard lock(slot.mutex);
    const Result<Partitioned>& parts = uncheckedIn(slot);
    if (!parts)
        return parts;
    if (!slot.checked)
        slot.checked = checkDeviceProgram((*parts)->device);
    SHARDSCOPE_CHECK(*slot.checked);
    return parts;
}

Result<DeviceStages::Partitioned> DeviceStages::inFull() const
{
    const std::lock_guard lock(m_inFullMutex);
    if (!m_inFull) {
        const Program& program = *m_input.program;
        // A text without a mesh was given one of a single device.
        const std::optional<std::uint32_t> main = mainMesh(program);
        const bool isOverOne = !main || program.meshes[*main].mesh->deviceCount() == 1;
        m_inFull =
            shared(unsharded(program, isOverOne || m_input.isOfOneDevice ? addressedDevices(program) : DeviceCounts()));
    }
    return *m_inFull;
}

Result<Plan> DeviceStages::planOf(Partitioned parts, const std::vector<ValueId>& kept) const
{
    SHARDSCOPE_TRY(flat,
        flatten(
            m_input.program, std::move(parts), m_input.state, shownShardings(*m_input.program, *m_input.propagation)));
    ScheduleOptions options;
    options.keep = kept;
    return schedule(std::make_shared<const FlatProgram>(std::move(*flat)), options);
}

/// Of a large program another thread checks what devices run, while this one plans it.
Result<DeviceStages::PlanPtr> DeviceStages::planOfDevices() const
{
    Slot& slot = m_slots[0];
    Result<Partitioned> parts = [&] {
        const std::lock_guard lock(slot.mutex);
        return uncheckedIn(slot);
    }();
    if (!parts)
        return tl::unexpected<Error>(std::move(parts.error()));
    const bool isLarge = (*parts)->device.program.operations.size() >= largeForThreads;
    auto check = meanwhile(isLarge, [this] { return partitioned(); });
    if (!isLarge)
        return check.get().and_then([&](Partitioned checked) { return shared(planOf(checked, m_input.kept)); });
    Result<PlanPtr> plan = shared(planOf(std::move(*parts), m_input.kept));
    SHARDSCOPE_CHECK(check.get());
    return plan;
}

Result<DeviceStages::PlanPtr> DeviceStages::planned(const std::vector<bool>& hostArguments) const
{
    const std::lock_guard lock(m_planMutex);
    if (!m_plan) // without a mesh one device executes it as it is
        m_plan = mainMesh(*m_input.program) ? planOfDevices() : plannedInFull();
    if (!*m_plan || std::find(hostArguments.begin(), hostArguments.end(), true) == hostArguments.end())
        return *m_plan;
    for (const auto& [arguments, plan] : m_placed)
        if (arguments == hostArguments)
            return plan;
    m_placed.emplace_back(hostArguments, std::make_shared<const Plan>(planWithoutHostArrays(***m_plan, hostArguments)));
    return m_placed.back().second;
}

bool DeviceStages::isPlanned() const
{
    const std::lock_guard lock(m_planMutex);
    return m_plan.has_value();
}

Result<DeviceStages::PlanPtr> DeviceStages::plannedInFull() const
{
    return inFull().and_then([&](Partitioned parts) { return shared(planOf(std::move(parts), m_input.kept)); });
}

} // namespace shardscope

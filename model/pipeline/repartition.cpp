// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/repartition.h"

#include <new>

#include "base/codes.h"
#include "pipeline/program_layout.h"
#include "program/roles.h"
#include "program/step_state.h"
#include "simulate/run/initial_values.h"

namespace shardscope {

std::optional<Error> firstError(const Snapshot& snapshot)
{
    for (const Problem& problem : snapshot.problems)
        // Where arrays lie decides nothing of how they are sharded and exchanged.
        if (problem.diagnostic.severity() == Severity::Error && problem.diagnostic.code != Code::MixedMemoryKinds
            && problem.diagnostic.code != Code::UnknownMemoryKind)
            return problem.diagnostic;
    return std::nullopt;
}

namespace {

Result<const DeviceStages*> stagesOf(const Snapshot& snapshot)
{
    if (std::optional<Error> error = firstError(snapshot))
        return tl::unexpected<Error>(std::move(*error));
    if (!snapshot.deviceStages)
        return fail(Code::MissingMesh);
    return snapshot.deviceStages.get();
}

} // namespace

Result<DeviceStages::Sharded> shardedProgram(const Snapshot& snapshot, bool optimalReshards)
{
    return stagesOf(snapshot).and_then([&](const DeviceStages* stages) { return stages->sharded(optimalReshards); });
}

Result<DeviceStages::Partitioned> partitionedProgram(const Snapshot& snapshot, bool optimalReshards)
{
    return stagesOf(snapshot).and_then(
        [&](const DeviceStages* stages) { return stages->partitioned(optimalReshards); });
}

Result<std::uint64_t> deviceProgramHash(const Snapshot& snapshot, bool optimalReshards)
{
    return partitionedProgram(snapshot, optimalReshards).map([](const DeviceStages::Partitioned& parts) {
        return hash(parts->device.program);
    });
}

Result<DeviceStages::Partitioned> unshardedProgram(const Snapshot& snapshot)
{
    return stagesOf(snapshot).and_then([](const DeviceStages* stages) { return stages->inFull(); });
}

namespace {

template <typename Plan>
Result<std::shared_ptr<const shardscope::Plan>> plannedBy(const Snapshot& snapshot, Plan plan)
{
    try {
        return stagesOf(snapshot).and_then([&](const DeviceStages* stages) {
            return plan(*stages, stateOf(*snapshot.annotated, snapshot.experiment->run.state));
        });
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory);
    }
}

} // namespace

Result<std::shared_ptr<const Plan>> plannedProgram(const Snapshot& snapshot)
{
    if (snapshot.plan && snapshot.experiment->run.state.empty())
        return snapshot.plan;
    return plannedBy(snapshot, [&](const DeviceStages& stages, const StepState& state) {
        // Values of the snapshot's program have the same ids there; those after them were made to propagate.
        std::vector<ValueId> kept = keptValues(*snapshot.program);
        std::erase_if(kept, [&](ValueId value) { return value.index >= stages.program()->values.size(); });
        return stages.planned(state, std::move(kept));
    });
}

Result<std::shared_ptr<const Plan>> plannedInFull(const Snapshot& snapshot)
{
    return plannedBy(
        snapshot, [](const DeviceStages& stages, const StepState& state) { return stages.plannedInFull(state); });
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/stage_results.h"

#include <new>

#include "base/codes.h"
#include "pipeline/collective_list.h"
#include "pipeline/memory_placement.h"
#include "pipeline/stages.h"
#include "program/device_counts.h"
#include "program/over_mesh.h"
#include "program/step_state.h"

namespace shardscope {

std::optional<Error> firstError(const Snapshot& snapshot)
{
    for (const Problem& problem : snapshot.problems)
        // Where arrays lie decides nothing of how they are sharded and exchanged.
        if (problem.diagnostic.severity() == Severity::Error && problem.diagnostic.code != Code::MixedMemoryKinds
            && problem.diagnostic.code != Code::UnknownMemoryKind && problem.diagnostic != snapshot.notPlanned)
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

bool hasMesh(const Snapshot& snapshot)
{
    return snapshot.mesh && snapshot.source
        && (snapshot.mesh->deviceCount() > 1 || mainMesh(snapshot.source->program).has_value());
}

bool isOfOneDevice(const Snapshot& snapshot)
{
    return snapshot.source && (snapshot.isPartitioned() || isOfOneDevice(snapshot.source->program));
}

Result<DeviceStages::Partitioned> unshardedProgram(const Snapshot& snapshot)
{
    return stagesOf(snapshot).and_then([](const DeviceStages* stages) { return stages->inFull(); });
}

Result<std::shared_ptr<const CollectiveList>> collectivesOf(const Snapshot& snapshot, bool optimalReshards)
{
    return stagesOf(snapshot).and_then(
        [&](const DeviceStages* stages) { return stages->collectives(optimalReshards); });
}

Result<std::shared_ptr<const Plan>> plannedProgram(const Snapshot& snapshot)
{
    try {
        return stagesOf(snapshot).and_then(
            [&](const DeviceStages* stages) { return stages->planned(hostArguments(snapshot)); });
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory);
    }
}

Result<std::shared_ptr<const Plan>> plannedInFull(const Snapshot& snapshot)
{
    try {
        return stagesOf(snapshot).and_then([](const DeviceStages* stages) { return stages->plannedInFull(); });
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory);
    }
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/repartition.h"

#include <new>

#include "base/codes.h"
#include "pipeline/program_layout.h"
#include "program/over_mesh.h"
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

Result<kernels::ProgramValuesPtr> valuesOfText(const Snapshot& snapshot, const kernels::ProgramInputs& inputs)
{
    try {
        const Result<DeviceStages::Partitioned> parts = partitionedProgram(snapshot, false);
        if (!parts)
            return tl::unexpected<Error>(parts.error());
        if (inputs.stop.stop_requested())
            return kernels::ProgramValuesPtr();
        return kernels::computeProgramValues(programOf(snapshot), *parts, inputs);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory);
    }
}

Result<std::uint64_t> deviceProgramHash(const Snapshot& snapshot, bool optimalReshards)
{
    return partitionedProgram(snapshot, optimalReshards).map([](const DeviceStages::Partitioned& parts) {
        return hash(parts->device.program);
    });
}

bool hasMesh(const Snapshot& snapshot)
{
    if (!snapshot.mesh || !snapshot.annotated)
        return false;
    return snapshot.mesh->deviceCount() > 1 || mainMesh(snapshot.asRead ? *snapshot.asRead : *snapshot.annotated);
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
    return plannedBy(
        snapshot, [](const DeviceStages& stages, const StepState& state) { return stages.planned(state, {}); });
}

Result<std::shared_ptr<const Plan>> plannedInFull(const Snapshot& snapshot)
{
    return plannedBy(
        snapshot, [](const DeviceStages& stages, const StepState& state) { return stages.plannedInFull(state); });
}

} // namespace shardscope

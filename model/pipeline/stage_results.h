// SPDX-License-Identifier: GPL-3.0-or-later
// The stages after propagation for one snapshot: the program of every device, the reference and the plan. Each is
// computed when it is first asked for, and shared afterwards (device_stages.h). Views and commands get them here, so
// that all of them speak of the same program.
#pragma once

#include "pipeline/collective_list.h"
#include "pipeline/device_stages.h"
#include "pipeline/snapshot.h"

namespace shardscope {

/// The program of every device, partitioned by the experiment's strategy. Errors: the snapshot's first if it has no
/// layout; those of shardPropagated() and partitionProgram().
[[nodiscard]] Result<DeviceStages::Partitioned> partitionedProgram(
    const Snapshot& snapshot, bool optimalReshards = false);
/// Whether there is a mesh to run on: one that the program declares, or the experiment's if it has several devices.
[[nodiscard]] bool hasMesh(const Snapshot& snapshot);
/// Whether the text is already the program of one of several devices, so that there is no global program as reference.
[[nodiscard]] bool isOfOneDevice(const Snapshot& snapshot);
/// The unsharded program, on one device or, if its collectives name devices, on those. It is the reference, and what is
/// run without a mesh or if the program cannot be partitioned. Errors: those of unsharded().
[[nodiscard]] Result<DeviceStages::Partitioned> unshardedProgram(const Snapshot& snapshot);
/// The plan of a step. Its state is given by the experiment or the program, or guessed (program/step_state.h). Its
/// memory is device memory; arrays in host memory do not count. Errors: those of partitionedProgram(), flatten() and
/// schedule().
[[nodiscard]] Result<std::shared_ptr<const Plan>> plannedProgram(const Snapshot& snapshot);
/// The plan of a step of unshardedProgram().
[[nodiscard]] Result<std::shared_ptr<const Plan>> plannedInFull(const Snapshot& snapshot);
/// A hash of the program of every device: two outputs with the same hash speak of the same program. Errors: those of
/// partitionedProgram().
[[nodiscard]] Result<std::uint64_t> deviceProgramHash(const Snapshot& snapshot, bool optimalReshards = false);
/// The first error of the earlier stages that keeps the program from being partitioned; nothing if there is none.
[[nodiscard]] std::optional<Error> firstError(const Snapshot& snapshot);

} // namespace shardscope

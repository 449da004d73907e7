// SPDX-License-Identifier: GPL-3.0-or-later
// What every device runs, once for all who ask.
#pragma once

#include "pipeline/collective_list.h"
#include "pipeline/device_stages.h"
#include "pipeline/snapshot.h"

namespace shardscope {

/// What every device runs, by the experiment's strategy. Everything that speaks of what a device runs, or runs it, has
/// it from here. Errors: the snapshot's first, where it has no layout; those of shardPropagated() and
/// partitionProgram().
[[nodiscard]] Result<DeviceStages::Partitioned> partitionedProgram(
    const Snapshot& snapshot, bool optimalReshards = false);
/// Whether there is a mesh to run on: the program's own, or one of several devices that it was given.
[[nodiscard]] bool hasMesh(const Snapshot& snapshot);
/// Whether the program is what each of several devices runs: there is none in full that they could be compared with.
[[nodiscard]] bool isOfOneDevice(const Snapshot& snapshot);
/// The same in full on one device, or on those that it speaks to by their numbers: the reference, and what is run where
/// there is no mesh or the program cannot be partitioned. Errors: those of unsharded().
[[nodiscard]] Result<DeviceStages::Partitioned> unshardedProgram(const Snapshot& snapshot);
/// The plan of its steps, whose state is as the experiment or the program says, or as it is guessed
/// (program/step_state.h); memory is that of the devices, without arrays that lie on the host. Errors: those of
/// partitionedProgram(), flatten() and schedule().
[[nodiscard]] Result<std::shared_ptr<const Plan>> plannedProgram(const Snapshot& snapshot);
/// The same of unshardedProgram().
[[nodiscard]] Result<std::shared_ptr<const Plan>> plannedInFull(const Snapshot& snapshot);
/// A hash of the program that every device runs: what is listed, planned, printed and executed is this one. Errors:
/// those of partitionedProgram().
[[nodiscard]] Result<std::uint64_t> deviceProgramHash(const Snapshot& snapshot, bool optimalReshards = false);
/// The first error that keeps a snapshot's program from being partitioned, before that is tried; nothing if there is
/// none.
[[nodiscard]] std::optional<Error> firstError(const Snapshot& snapshot);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What every device runs, once for all who ask.
#pragma once

#include "pipeline/device_stages.h"
#include "pipeline/snapshot.h"
#include "simulate/run/program_values.h"

namespace shardscope {

/// The program of an experiment with all shardings and collectives, by the experiment's strategy. Everything that
/// speaks of its collectives, of what a device runs, or runs it, has it from here. Errors: those of shardProgram(); the
/// snapshot's first, where it has no layout.
[[nodiscard]] Result<DeviceStages::Sharded> shardedProgram(const Snapshot& snapshot, bool optimalReshards = false);
/// The same with what every device runs. Errors: further those of partitionProgram().
[[nodiscard]] Result<DeviceStages::Partitioned> partitionedProgram(
    const Snapshot& snapshot, bool optimalReshards = false);
/// Whether there is a mesh to run on: the program's own, or one of several devices that it was given.
[[nodiscard]] bool hasMesh(const Snapshot& snapshot);
/// The same in full on one device, or on those that it speaks to by their numbers: the reference, and what is run where
/// there is no mesh or the program cannot be partitioned. Errors: those of unsharded().
[[nodiscard]] Result<DeviceStages::Partitioned> unshardedProgram(const Snapshot& snapshot);
/// What a program in a text gives on inputs that are drawn at random. Null if stopped. Errors: further those of
/// computeProgramValues().
[[nodiscard]] Result<kernels::ProgramValuesPtr> valuesOfText(
    const Snapshot& snapshot, const kernels::ProgramInputs& inputs);
/// The plan of its steps, whose state is as the experiment or the program says, or as it is guessed
/// (program/step_state.h). Errors: those of partitionedProgram(), flatten() and schedule().
[[nodiscard]] Result<std::shared_ptr<const Plan>> plannedProgram(const Snapshot& snapshot);
/// The same of unshardedProgram().
[[nodiscard]] Result<std::shared_ptr<const Plan>> plannedInFull(const Snapshot& snapshot);
/// A hash of the program that every device runs: what is listed, planned, printed and executed is this one. Errors:
/// those of partitionedProgram().
[[nodiscard]] Result<std::uint64_t> deviceProgramHash(const Snapshot& snapshot, bool optimalReshards = false);
/// The first error among a snapshot's problems; nothing if there is none.
[[nodiscard]] std::optional<Error> firstError(const Snapshot& snapshot);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What every device runs: of a network worked out once more, with the collectives of its reshards chosen in another
// way; of a program in a text, which analysing only propagates, once for all who ask.
#pragma once

#include "pipeline/device_stages.h"
#include "pipeline/snapshot.h"
#include "simulate/evaluate/program_values.h"

namespace shardscope {

namespace evaluate {
class ProgramStepper;
}

/// Of a built-in network that has its layout. Errors: those of partition(); the snapshot's first, where it has none.
[[nodiscard]] Result<DeviceProgram> partitionNetwork(const Snapshot& snapshot, bool optimalReshards);
/// Of a program in a text, with the experiment's shardings and strategy. Everything that speaks of its collectives, of
/// what a device runs, or runs it, has it from here. Errors: those of shardProgram(); the snapshot's first, where it
/// has no layout.
[[nodiscard]] Result<DeviceStages::Sharded> shardText(const Snapshot& snapshot, bool optimalReshards);
/// The same with what every device runs. Errors: further those of partitionProgram().
[[nodiscard]] Result<DeviceStages::Partitioned> partitionText(const Snapshot& snapshot, bool optimalReshards);
/// What that program gives on inputs that are drawn at random. Null if stopped. Errors: further those of
/// computeProgramValues().
[[nodiscard]] Result<evaluate::ProgramValuesPtr> valuesOfText(
    const Snapshot& snapshot, const evaluate::ProgramInputs& inputs);
/// Steps of that program from inputs that are drawn at random, its state fed back (program/step_state.h). Null if
/// stopped. Errors: those of partitioning; OutOfMemory.
[[nodiscard]] Result<std::unique_ptr<evaluate::ProgramStepper>> stepperOfText(
    const Snapshot& snapshot, const evaluate::ProgramInputs& inputs);
/// The first error among a snapshot's problems; nothing if there is none.
[[nodiscard]] std::optional<Error> firstError(const Snapshot& snapshot);

} // namespace shardscope

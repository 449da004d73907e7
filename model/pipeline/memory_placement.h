// SPDX-License-Identifier: GPL-3.0-or-later
// Where arrays lie: in the memory of their devices or on their hosts.
//
// Where an array lies says nothing of how it is sharded: layouts, collectives and results stay what they are.
#pragma once

#include <string_view>
#include <vector>

#include "pipeline/snapshot.h"
#include "program/memory_kinds.h"

namespace shardscope {

/// Whether memory of this kind is the devices' own: "device", and what the platform takes where nothing is said (a CPU
/// computes in its host's memory).
[[nodiscard]] bool isOwnMemory(MemoryKind kind, std::string_view platform);
/// Whether the array lies on the host, apart from the memory of its devices.
[[nodiscard]] bool isOnHost(const Snapshot& snapshot, const TensorRow& row);

/// What the snapshot's program says itself of memories. Where it says nothing, the experiment does.
[[nodiscard]] ProgramMemory programMemory(const Snapshot& snapshot);
/// Sets TensorRow::memoryKind of all rows.
void placeRows(Snapshot& snapshot);
/// What the experiment and the text of its program say of memories and what cannot be: UnknownMemoryKind where the
/// platform lacks the kind, MixedMemoryKinds where an operation reads from two memories.
[[nodiscard]] std::vector<Problem> placementProblems(const Experiment& experiment);
[[nodiscard]] std::vector<Diagnostic> placementFindings(const Program& program, std::string_view platform);

/// A program that takes and returns what the snapshot's does, with what the experiment keeps on the host there, and
/// moves between memories as operations (program/memory_moves.h). One that says itself where its values lie stays as it
/// is. The snapshot is laid out.
[[nodiscard]] Program withPlacement(const Snapshot& snapshot, Program program);

/// Per argument of main whether it lies on the host. The snapshot has rows.
[[nodiscard]] std::vector<bool> hostArguments(const Snapshot& snapshot);
/// The plan, with the memory of devices alone: an array of the host takes part of it from the first instruction that
/// reads it to the last one that touches it.
[[nodiscard]] Plan planWithoutHostArrays(const Plan& plan, const std::vector<bool>& hostArguments);

} // namespace shardscope

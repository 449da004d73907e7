// SPDX-License-Identifier: GPL-3.0-or-later
// What one device needs of memory for a program in a text, before it runs: how full it is after every operation, and
// which arrays it holds at its peak. A run measures the same number.
//
//     x: 8 x 1024 on {data=2}, w: 1024 x 1024; main returns tanh(x w)
//     memory.peakBytes   4 MiB of w, 16 KiB each of x, x w and the result: at the tanh
//     arrays[0]          w, 4 MiB
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "partition/partition_program.h"
#include "pipeline/snapshot.h"
#include "schedule/plan.h"

namespace shardscope {

struct PlannedMemory {
    enum class Part : std::uint8_t {
        Arguments, ///< of main: there from the beginning, and as long as somebody reads them
        Values, ///< that the program computes
        Exchanges, ///< what partitioning adds: copies that collectives make, parts to be added up, offsets
    };
    struct Array {
        std::string path; ///< of the value of the program that it is, or is a copy of; "" where it has no name
        Part part = Part::Values;
        OperationId maker; ///< of `program`; invalid for arguments
        TensorType type; ///< on a device
        std::int64_t bytes = 0; ///< of one device
    };
    /// One per operation of main on a device.
    struct Moment {
        OperationId operation; ///< of `program`
        std::string path; ///< of what it computes; "" where that has no name
    };

    ProgramPtr program; ///< of every device
    std::int64_t devices = 1;
    /// `live` and `peakInstruction` count operations of main; -1 where the arguments alone are the most. `atPeak` is by
    /// Part (the first three of its places); `stateBytes` what main is given.
    MemorySummary memory;
    std::vector<Moment> moments;
    /// Of `program`: just computed at the peak, in loops and functions too; invalid at the start.
    OperationId peakOperation;
    std::string peakPath; ///< of what it computes
    std::vector<Array> arrays; ///< held at the peak, the largest first
    std::int64_t workingBytes = 0; ///< at most, with what an operation needs for itself while it computes
    bool dependsOnData = false; ///< which branch is taken, or how often a loop runs, is known by a run alone

    [[nodiscard]] std::int64_t bytesOf(Part part) const { return memory.atPeak[static_cast<std::size_t>(part)]; }
};

/// Of a partitioned program; names are those of the program as it was given.
[[nodiscard]] PlannedMemory plannedMemory(const Program& given, const PartitionedProgram& parts);
/// Of a program in a text, which has to be partitioned for it: seconds for a large one, so call it off the window's
/// thread. Errors: the snapshot's first, where it has no layout; those of partitioning. Nothing where it was stopped,
/// and for what is no program in a text.
[[nodiscard]] Result<std::optional<PlannedMemory>> plannedMemory(const Snapshot& snapshot, std::stop_token stop = {});

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What one device needs of memory for a step, as its plan says: how full it is after every instruction, and which
// arrays it holds at its peak.
//
//     x: 8 x 1024 on {data=2}, w: 1024 x 1024; main returns tanh(x w)
//     memory.peakBytes   4 MiB of w, 16 KiB each of x, x w and the result: at the tanh
//     arrays[0]          w, 4 MiB
#pragma once

#include <string>
#include <vector>

#include "pipeline/snapshot.h"
#include "schedule/plan.h"

namespace shardscope {

struct PlannedMemory {
    struct Array {
        std::string path; ///< of the value of the program that it is, or is a copy of; "" where it has no name
        Owner owner = Owner::Buffers;
        bool isCopy = false; ///< on its way from one sharding to another, or still to be added up
        OperationId maker; ///< of `program`; invalid for arguments
        TensorType type; ///< on a device
        std::int64_t bytes = 0; ///< of one device
    };
    /// One per instruction of main.
    struct Moment {
        OperationId operation; ///< of `program`: the last one that the instruction executes; invalid for a copy
        std::string path; ///< of what it computes; "" where that has no name
    };

    ProgramPtr program; ///< of every device
    std::int64_t devices = 1;
    MemorySummary memory; ///< of main: where a loop or branches are the peak, they count with theirs
    std::vector<Moment> moments;
    OperationId peakOperation; ///< of `program`: executed at the peak, in loops too; invalid where nothing is executed
    std::string peakPath; ///< of what it computes
    std::vector<Array> arrays; ///< held at the peak, the largest first
    bool dependsOnData = false; ///< which of several branches is taken is known by a run alone
};

[[nodiscard]] PlannedMemory plannedMemory(const Plan& plan);

} // namespace shardscope

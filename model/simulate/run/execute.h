// SPDX-License-Identifier: GPL-3.0-or-later
// One step of any partitioned program on given arguments: all that comes of it, in full and on every device.
//
//     const auto parts = std::make_shared<const PartitionedProgram>(partitionProgram(*program).value());
//     const auto devices = execute(program, parts, { x, w }, { .observers = { &watch } });
//     // devices->outputs[r]: result r in full; devices->shards[d][r]: what device d holds of it
#pragma once

#include <memory>

#include "partition/partition_program.h"
#include "simulate/run/run.h"
#include "simulate/run/shards.h"

namespace shardscope {

struct ExecuteOptions {
    int threads = 0; ///< 0 = one per core
    std::int64_t memoryLimit = 0; ///< bytes over all devices, 0 = three quarters of availableMemory()
    std::int64_t maximumTrips = defaultTrips; ///< of a device's loops
    std::stop_token stop;
    bool plain = true; ///< every operation by itself: ScheduleOptions::plain
    bool plainKernels = false; ///< RunOptions::plainKernels
    std::vector<Observer*> observers; ///< of a plain execution
};

struct Execution {
    kernels::Arrays outputs; ///< per result of main, in full
    std::vector<kernels::Arrays> shards; ///< by device id, by result; padding is zero
    std::vector<ExpectationFinding> findings;
    std::vector<DifferentCopies> differences; ///< at most one per output
};

/// Of a run that has taken a step. Without `withShards` only those results have shards whose copies differ.
[[nodiscard]] Execution resultsOf(const Run& run, bool withShards = true);

/// Takes one step. `parts` was made from `source`. `arguments` are global arrays, one per argument of main. The result
/// is empty if it was stopped. Errors: those of flatten(), schedule(), Run::create() and Run::failure(); CountMismatch
/// and TypeMismatch for arguments.
[[nodiscard]] Result<Execution> execute(ProgramPtr source, std::shared_ptr<const PartitionedProgram> parts,
    const kernels::Arrays& arguments, const ExecuteOptions& options = {});

/// Bytes that such an execution takes, over all devices. Errors: as above.
[[nodiscard]] Result<double> executionBytes(
    const ProgramPtr& source, const std::shared_ptr<const PartitionedProgram>& parts, const ExecuteOptions& options);

} // namespace shardscope

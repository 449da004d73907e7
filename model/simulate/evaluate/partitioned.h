// SPDX-License-Identifier: GPL-3.0-or-later
// Executes the per-device program of a program on devices that hold real shards, and puts what they return together.
#pragma once

#include "partition/spmd_program.h"
#include "simulate/evaluate/execute.h"

namespace shardscope::evaluate {

/// The shard that every device gets of an array, by device id. Padding at the end of uneven ones is zero.
/// Where it is unreduced, the devices along those axes get parts of it: of a sum each some of the binary digits of
/// every number, which add up to it exactly; the same elements where the greatest or the least counts.
[[nodiscard]] Arrays shardsOf(const Array& full, const ShardedArray& how, const MeshPtr& mesh);

/// Copies of one shard that are not bitwise equal.
struct DifferentCopies {
    std::size_t output = 0;
    std::int32_t device = 0, other = 0; ///< ids
    std::int64_t element = 0; ///< of the shard, row-major
};

struct AssembledArray {
    Array whole; ///< each shard from its first holder in mesh order; parts over unreduced axes are put together
    std::optional<DifferentCopies> differ; ///< `output` is not set
};
/// `shards` by device id. What is no array (a token) is that of device 0.
[[nodiscard]] AssembledArray assembleShards(
    std::span<const Array> shards, const ShardedArray& how, const MeshPtr& mesh);

struct PartitionedExecution {
    Arrays outputs; ///< whole
    std::vector<Arrays> shards; ///< by device id, by output; padding is zero
    std::vector<CheckFinding> checks;
    MemoryPlan plan; ///< of every device
    std::vector<MemoryPeak> peaks; ///< by device id
    std::vector<DifferentCopies> differences; ///< at most one per output
};

/// `arguments` are whole arrays, one per input. Nothing comes out if it was stopped. Errors: those of execute();
/// DevicesMismatch for a mesh whose devices are not 0 .. n-1.
[[nodiscard]] Result<PartitionedExecution> executePartitioned(
    const SpmdProgram& program, const Arrays& arguments, ExecuteOptions options = {});

} // namespace shardscope::evaluate

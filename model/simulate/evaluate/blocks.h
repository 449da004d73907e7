// SPDX-License-Identifier: GPL-3.0-or-later
// Full arrays as blocks on devices and back, and programs over blocks (shard_map) run on simulated devices.
#pragma once

#include <vector>

#include "partition/block_program.h"
#include "simulate/evaluate/execute.h"

namespace shardscope::evaluate {

/// The block of a position of the mesh; sizes divide.
[[nodiscard]] Array blockOf(const Array& whole, const PartitionSpec& spec, const Mesh& mesh, std::int64_t position);
/// Blocks by position, side by side. Where several positions hold a place, the block of the first one counts.
[[nodiscard]] Array assembled(std::span<const Array> blocks, const PartitionSpec& spec, const Mesh& mesh);

struct BlockResults {
    std::vector<Array> blocks; ///< by position of the mesh
    Array whole;
    bool copiesDiffer = false; ///< blocks that `spec` says are equal are not
};

/// Runs a program over blocks. Errors: those of validate() for inputs, and of execute().
[[nodiscard]] Result<BlockResults> runBlocks(const BlockProgram& block, const std::vector<Array>& inputs,
    const std::vector<PartitionSpec>& inSpecs, const PartitionSpec& outSpec, const ExecuteOptions& options = {});

} // namespace shardscope::evaluate

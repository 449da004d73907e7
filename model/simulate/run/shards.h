// SPDX-License-Identifier: GPL-3.0-or-later
// Full arrays and the shards of them that devices hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "partition/device_program.h"
#include "simulate/kernels/array.h"

namespace shardscope {

/// The shard that every device gets of an array, by device id. Padding at the end of uneven ones is zero.
/// Where it is unreduced, the devices along those axes get partial values: of a sum each some of the binary digits of
/// every number, which add up to it exactly; the same elements where the greatest or the least counts.
[[nodiscard]] kernels::Arrays shardsOf(const kernels::Array& full, const ShardedArray& how, const MeshPtr& mesh);

/// Copies of one shard that are not bitwise equal.
struct DifferentCopies {
    std::size_t output = 0;
    std::int32_t device = 0, other = 0; ///< ids
    std::int64_t element = 0; ///< of the shard, row-major
};

struct AssembledArray {
    kernels::Array full; ///< each shard from its first holder in mesh order; partial values are put together
    std::optional<DifferentCopies> differ; ///< `output` is not set
};
/// `shards` by device id. What is no array (a token) is that of device 0.
[[nodiscard]] AssembledArray assembleShards(
    std::span<const kernels::Array> shards, const ShardedArray& how, const MeshPtr& mesh);

/// What the padding of uneven shards held is nobody's: it becomes zero, as that of arguments.
void clearPadding(kernels::Arrays& shards, const ShardedArray& how, const MeshPtr& mesh);

} // namespace shardscope

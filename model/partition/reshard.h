// SPDX-License-Identifier: GPL-3.0-or-later
// From one sharding of an array to another: the order of OpenXLA Shardy, and the way that sends the fewest bytes.
//
//     f32[16,8] on mesh {x=2, y=2}, [{y},{x}] to [{y},{}]: one all_gather of x on dimension 1. The local block before
//     it is 8x4, 128 bytes; in a ring of n = 2 a device sends (n-1) * 128 = 128 bytes. Each device lacks 128 of the 256
//     bytes of its target block, so that no way is cheaper.
//
// Bytes are those of the ring model (ringBytes() in collective.h), per device, as rational numbers.
#pragma once

#include <span>
#include <vector>

#include "partition/collective.h"

namespace shardscope {

/// What counts as a step where dimensions do not divide.
enum class Blocks : std::uint8_t {
    /// Steps after which every device can have its block from the members of its group: those that can be executed.
    /// 10 elements in 2 shards are 5 and 5, in 8 shards 2 2 2 2 2 0 0 0: no shard of the first is a union of shards of
    /// the second, and full dimensions are gathered instead.
    Exact,
    /// Steps after which all blocks of a dimension have one size, as those that are executed on padded arrays; a
    /// dimension that its axes do not divide may be sharded as it is before and after. 6 elements in 2 shards are 3 and
    /// 3, in 12 shards 1 1 1 1 1 1 0 0 0 0 0 0: where the way leads over those, full dimensions are gathered instead.
    Even,
    /// As if every dimension divided: what Shardy writes, whatever the sizes.
    AsIfEven,
};

struct Reshard {
    TensorType type; ///< global shape
    TensorSharding from, to;
    const Mesh* mesh = nullptr; ///< of the target
    const Mesh* sourceMesh = nullptr; ///< the same axes over another order of devices; null: `mesh`
    Blocks blocks = Blocks::Exact;
};

struct ReshardStep {
    Collective collective;
    TensorSharding after;
    bool sourceOrder = false; ///< `after` is over the devices of `sourceMesh`; a collective_permute changes that once
};

/// Whether a reshard from one mesh to another can be put into collectives: the axes are the same.
[[nodiscard]] bool haveSameAxes(const Mesh& a, const Mesh& b);

/// The sequence of Shardy: an all_reduce over axes that stop being unreduced, all_slice as early as possible,
/// collective_permute, all_to_all, all_gather.
[[nodiscard]] std::vector<ReshardStep> shardySteps(const Reshard& reshard);
/// The cheapest sequence by bytes sent, then by number of exchanges: of all that move full axes (or the parts that
/// `from` and `to` name), one dimension or pair of dimensions at a time, and of Shardy's. Where there are too many
/// states to look at (more than about six axes), only axes that occur in the shardings are moved, or it is Shardy's.
[[nodiscard]] std::vector<ReshardStep> optimalSteps(const Reshard& reshard);

[[nodiscard]] Rational sentBytes(std::span<const ReshardStep> steps);

} // namespace shardscope

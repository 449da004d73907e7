// SPDX-License-Identifier: GPL-3.0-or-later
// What a collective puts on the links of a ring, beside ringBytes(): steps, and the bytes of the busiest directed link.
//
//     all_gather over 4 devices of 16384 bytes in full, one way round: every device puts in 4096 bytes and sends
//     3 * 4096 = 12288 in 3 steps, and so much crosses every link. Both ways round it takes 2 steps and half per link.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partition/collective.h"

namespace shardscope {

/// Bytes per device. `fullBytes` is the full array of one group: what an all_gather ends with, what a reduce_scatter
/// and an all_reduce begin with; all_to_all and collective_permute begin and end with 1/n of it.
struct RingTraffic {
    Rational input, output;
    Rational sent; ///< ringBytes() of the input
    std::int64_t steps = 0;
    Rational busiestLink; ///< over all steps, in the direction that carries most
};
/// `bothWays`: links work in both directions and each half of the data takes one; an all_to_all goes the shorter way,
/// and splits what goes to the opposite device. A collective_permute sends to the next device. AllSlice moves nothing.
[[nodiscard]] RingTraffic ringTraffic(
    CollectiveKind kind, std::int64_t groupSize, std::int64_t fullBytes, bool bothWays);

/// Bytes sent along each axis when a collective (all_gather or reduce_scatter) goes over one axis after the other:
/// `order` lists axes in the order in which they take part. Their sum does not depend on the order; the last axis of an
/// all_gather and the first of a reduce_scatter carry most.
[[nodiscard]] std::vector<Rational> sentPerAxis(CollectiveKind kind, std::span<const std::int64_t> sizes,
    std::span<const std::size_t> order, std::int64_t fullBytes);

/// An all_reduce in two levels: reduce_scatter inside, all_reduce across on what is left, all_gather inside. Bytes sent
/// on links of each kind.
struct TwoLevelBytes {
    Rational inner, outer;
};
[[nodiscard]] TwoLevelBytes twoLevelAllReduce(std::int64_t inner, std::int64_t outer, std::int64_t fullBytes);

/// A product that passes the blocks of an operand round the ring while it works on them: n-1 permutes, each after the
/// work of one block. Seconds.
struct OverlappedProduct {
    double seconds = 0;
    std::int64_t permutes = 0;
    std::int64_t iterationsBothWays = 0; ///< with blocks going both ways at once
};
[[nodiscard]] OverlappedProduct overlappedProduct(std::int64_t groupSize, double computeSeconds, double gatherSeconds);

} // namespace shardscope

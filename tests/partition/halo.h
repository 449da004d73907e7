// SPDX-License-Identifier: GPL-3.0-or-later
// Halos: what devices have to send each other when an operation reads beyond its own block of a sharded dimension.
//
//     A window of 3, padded by 1 on both sides, over 16 elements on 4 devices: device 1 computes 4 .. 7 and reads
//     3 .. 8, one element of each neighbour.
//
// One dimension at a time: N elements in blocks of ceil(N / devices), results likewise. Ranges are half open, counts
// are elements along the dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sharding/layout.h"

namespace shardscope {

/// How results read elements: result o reads `start + o * stride + tap * tapSpacing` for each tap below `taps`, as far
/// as these are multiples of `spread` and, divided by it, lie in the dimension.
struct DimensionReads {
    std::int64_t inputSize = 0, outputSize = 0;
    std::int64_t start = 0, stride = 1;
    std::int64_t taps = 1, tapSpacing = 1;
    std::int64_t spread = 1; ///< elements lie so far apart (interior padding, base dilation)
    bool round = false; ///< after the last element comes the first (roll)

    static DimensionReads slice(std::int64_t size, std::int64_t start, std::int64_t limit, std::int64_t stride);
    static DimensionReads pad(std::int64_t size, std::int64_t low, std::int64_t high, std::int64_t interior);
    /// out[i] = in[(i - shift) mod size]
    static DimensionReads roll(std::int64_t size, std::int64_t shift);
    static DimensionReads reverse(std::int64_t size);
    struct Window {
        std::int64_t size = 1, stride = 1, low = 0, high = 0, dilation = 1, baseDilation = 1;
    };
    static DimensionReads window(std::int64_t size, const Window& window);
};

struct HaloMessage {
    std::int64_t source = 0, target = 0; ///< devices along the dimension
    std::int64_t elements = 0;
    auto operator<=>(const HaloMessage&) const = default;
};

enum class HaloReach : std::uint8_t { Local, Neighbours, Further };

struct Halo {
    struct Device {
        IndexRange held, computed;
        /// From the first to the last element that it reads; of a round dimension the range may end after the last
        /// element and go on with the first. Nothing where it reads none.
        std::optional<IndexRange> read;
        std::int64_t received = 0;
    };
    std::int64_t inputBlock = 0, outputBlock = 0;
    std::vector<Device> devices;
    std::vector<HaloMessage> messages; ///< sorted
    /// Elements that some device reads before and after its block; of a round dimension on the shorter way.
    std::int64_t left = 0, right = 0;
    std::int64_t neighbourReach = 0; ///< greatest distance of a message
    std::int64_t ringReach = 0; ///< the same where the last device is next to the first
    HaloReach reach = HaloReach::Local;

    [[nodiscard]] std::int64_t moved() const;
    [[nodiscard]] std::int64_t maxReceived() const;
};
[[nodiscard]] Halo haloOf(const DimensionReads& reads, std::int64_t devices);

/// The fewest elements that have to move when arrays are concatenated along a sharded dimension: each goes from its
/// block to that of the result.
[[nodiscard]] std::vector<HaloMessage> concatenationMoves(std::span<const std::int64_t> sizes, std::int64_t devices);

} // namespace shardscope

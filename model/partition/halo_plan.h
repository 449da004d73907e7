// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends what along one sharded dimension, so that every device has all that it reads there.
//
//     A window of 3, padded by 1 on both sides, over 16 elements on 4 devices: device d reads 4 d - 1 .. 4 d + 5.
//     begin -1, delta 4, length 6; two rounds of 1 element: the last of each block goes to the next device, the first
//     of each to the one before. What lies before element 0 and after element 15 is padding.
//
// Every device reads as many elements as the others, `delta` further on than the one before it. Counts are elements
// along the dimension, devices are numbered along the axes that shard it (first axis major).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope {

struct HaloReads {
    struct Input {
        std::int64_t size = 0;
        bool sharded = true; ///< into even blocks; else every device has all of it
        std::int64_t offset = 0; ///< where its first element lies (parts of a concatenation)
    };
    std::vector<Input> inputs;
    std::int64_t devices = 1;
    /// Device d reads `span` places from `first + d * step` on. Elements lie at multiples of `spread` (interior
    /// padding, base dilation).
    std::int64_t first = 0, step = 0, span = 0, spread = 1;
    bool reversed = false; ///< instead: device d reads the full block of the device as far from the other end
};

struct HaloPlan {
    /// Elements that one device hands another.
    struct Edge {
        std::int64_t source = 0, target = 0;
        std::size_t input = 0;
        std::int64_t from = 0; ///< in the source's block
        std::int64_t to = 0; ///< in what the target reads
        std::int64_t elements = 0;
    };
    /// Edges that go at once: no device sends or receives twice. All send as many elements as the longest edge has.
    struct Round {
        std::int64_t elements = 0;
        std::vector<Edge> edges;
    };
    std::int64_t devices = 1;
    /// Device d reads the elements [begin + d * delta, begin + d * delta + length), some of which may not exist.
    std::int64_t begin = 0, delta = 0, length = 0;
    /// Places of padding before and after those that are left to the operation: less than `spread`.
    std::int64_t low = 0, high = 0;
    /// Reads lie alike to the block on every device: the rounds are in order of distance, and complete strips.
    bool uniform = false;
    bool reversed = false;
    bool beyond = false; ///< some device reads what does not exist
    std::vector<Round> rounds;
    std::vector<Round> own; ///< what devices have already; of plans that are not uniform
    /// Existing elements that a device reads before and after its own block, at most. Of plans with one input.
    std::int64_t left = 0, right = 0;

    /// Elements that a device sends at most.
    [[nodiscard]] std::int64_t sent() const;
    /// Whether every device sends that much.
    [[nodiscard]] bool allSend() const;
};

/// None where no such plan exists: uneven blocks, or places that lie otherwise to the elements on every device. Devices
/// may read nothing but padding.
[[nodiscard]] std::optional<HaloPlan> haloPlan(const HaloReads& reads);

} // namespace shardscope

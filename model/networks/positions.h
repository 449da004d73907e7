// SPDX-License-Identifier: GPL-3.0-or-later
// How attention and embeddings know where a token stands.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "networks/transformer_parts.h"

namespace shardscope {

/// How far a position turns.
struct RotaryTurn {
    double base = 10000;
    double factor = 1; ///< positions are divided by it
    bool operator==(const RotaryTurn&) const = default;
};
struct Rotation {
    std::int64_t size = 0; ///< elements of each head that are rotated, from the first on
    RotaryTurn turn;
    ValueId isOther = {}; ///< a scalar truth value: `other` counts instead; or invalid
    RotaryTurn other = {};
};
/// x (B, L, H, h) with the first r elements of each head rotated (Su et al., 2021): element i of the first half and
/// element i of the second half of r are a point, turned by the angle position / factor / base^(2 i / r).
[[nodiscard]] ValueId rotated(const NetworkPart& part, ValueId x, const Rotation& rotation);

/// Elements `start` to `limit` of the last dimension: heads in two parts, of which one is rotated.
[[nodiscard]] ValueId sliceOfLast(Builder& builder, ValueId x, std::int64_t start, std::int64_t limit);

/// The distances key - query that share a number of the relative bias; no limit = all beyond.
struct DistanceBucket {
    std::optional<std::int64_t> least, most;
    bool operator==(const DistanceBucket&) const = default;
};
/// T5 (Raffel et al., 2019): the nearest distances have a number each, farther ones share one in ranges that grow as
/// powers, up to `maximumDistance`. In both directions half of the numbers are for keys after the query; else those
/// count as distance 0. Of a multiple of 4 of buckets.
///
///     distanceBuckets(8, 16, false)   // 0 and more, -1, -2, -3, -4 to -5, -6 to -7, -8 to -11, -12 and less
[[nodiscard]] std::vector<DistanceBucket> distanceBuckets(
    std::int64_t buckets, std::int64_t maximumDistance, bool bothDirections);
/// (H, L, L), in the type of sums: the stack's table "relpos_bias/rel_embedding" (H, buckets) at each distance.
[[nodiscard]] ValueId relativeBias(const NetworkPart& stack, std::int64_t length, bool bothDirections);

/// x (B, L, D) plus the first L rows of the stack's table "position_embedder/embedding".
[[nodiscard]] ValueId withLearnedPositions(const NetworkPart& stack, ValueId x);

} // namespace shardscope

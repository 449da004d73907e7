// SPDX-License-Identifier: GPL-3.0-or-later
// A reference to a mesh axis or to a part of one, as OpenXLA Shardy has them.
//
// A coordinate along an axis is a number that can be written with several digits. A part of the axis is one such digit:
// `size` is its base, and `pre` is how many values the digits before it can take together. On an axis x of 8 devices,
// x:(2)2 is the middle bit of the coordinate: (0 0 1 1 0 0 1 1). The full axis is the single digit (pre 1, size 8),
// its only form. Axes are small integers (positions in the mesh), names appear only at the edges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/small_vector.h"
#include "mesh/mesh.h"

namespace shardscope {

struct AxisRef {
    std::int32_t axis = 0; ///< index into Mesh::axes()
    std::int32_t pre = 1; ///< product of the sizes major to the part, within the axis
    std::int32_t size = 1; ///< size of the part

    [[nodiscard]] constexpr std::int64_t next() const { return std::int64_t{ pre } * size; }
    constexpr bool operator==(const AxisRef&) const = default;
    /// By mesh order, then from the major to the minor part.
    constexpr auto operator<=>(const AxisRef&) const = default;
};

using AxisList = SmallVector<AxisRef, 4>;

[[nodiscard]] AxisRef fullAxis(const Mesh& mesh, std::size_t axis);
[[nodiscard]] bool isFull(const Mesh& mesh, AxisRef ref);
/// "model", or "model:(2)2" for a part.
[[nodiscard]] std::string toString(const Mesh& mesh, AxisRef ref);

/// Both refer to some common part of one axis.
[[nodiscard]] bool overlaps(AxisRef a, AxisRef b);
/// Any of one list with any of the other.
[[nodiscard]] bool anyOverlap(std::span<const AxisRef> a, std::span<const AxisRef> b);
/// `a` includes all of `b`.
[[nodiscard]] bool contains(AxisRef a, AxisRef b);
/// `a` is a major part of `b`: contained in it and beginning where it begins. Every axis is a prefix of itself.
[[nodiscard]] bool isPrefixOf(AxisRef a, AxisRef b);
/// There is one way to write coordinates in which both parts are digits, or runs of neighbouring digits. Of an axis of
/// 12 devices (1)4 and (2)6 can coexist: bases 2, 2, 3. (1)2 and (1)3 cannot: 2 does not divide 3.
[[nodiscard]] bool canCoexist(AxisRef a, AxisRef b);
/// The longest prefix of `a` that does not overlap `b`; nothing if there is none or they cannot coexist.
[[nodiscard]] std::optional<AxisRef> prefixWithoutOverlap(AxisRef a, AxisRef b);
/// `a` is a minor part of `b`: contained in it and ending where it ends.
[[nodiscard]] bool isSuffixOf(AxisRef a, AxisRef b);
/// The longest suffix of `a` that does not overlap `b`; nothing if there is none or they cannot coexist.
[[nodiscard]] std::optional<AxisRef> suffixWithoutOverlap(AxisRef a, AxisRef b);
/// The longest prefix that both have; nothing if they begin differently or cannot coexist.
[[nodiscard]] std::optional<AxisRef> greatestCommonPrefix(AxisRef a, AxisRef b);
/// `b` continues where `a` ends, so that the two are one part.
[[nodiscard]] bool canMerge(AxisRef a, AxisRef b);
[[nodiscard]] AxisRef merge(AxisRef a, AxisRef b);
/// The part common to both, if they overlap and can coexist.
[[nodiscard]] std::optional<AxisRef> overlap(AxisRef a, AxisRef b);

/// Product of the sizes.
[[nodiscard]] std::int64_t product(std::span<const AxisRef> axes);
/// Appends, merging with the last element where that is one part.
void appendMerged(AxisList& list, AxisRef ref);
[[nodiscard]] bool isPrefixOf(std::span<const AxisRef> shorter, std::span<const AxisRef> longer);
/// The longest prefix that shards a size into equal parts, its last axis perhaps only in part: of size 6 with
/// {data=4, model=3} {data:(1)2}.
[[nodiscard]] AxisList dividing(std::span<const AxisRef> axes, std::int64_t size);

} // namespace shardscope

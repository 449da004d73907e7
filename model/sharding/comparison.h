// SPDX-License-Identifier: GPL-3.0-or-later
// Two shardings of one array beside each other: whether they are the same, and where they first differ.
//
//     P('x', None) and P('x') on one mesh, array [8, 16]: not equal in JAX, but equivalent
//     P('x', None) and P(None, 'x'): device 0 holds [0:4, 0:16] under the first, [0:8, 0:8] under the second
#pragma once

#include <span>
#include <vector>

#include "sharding/sharding.h"

namespace shardscope {

struct ShardingComparison {
    enum class Relation : std::uint8_t {
        Equal, ///< JAX's ==
        Equivalent, ///< not ==, but is_equivalent_to
        Different,
    };
    /// What makes them differ, in the order in which it is looked for.
    enum class Difference : std::uint8_t {
        None,
        MemoryKind, ///< the same parts in other memory
        Devices, ///< `device` is in one of the two alone
        Parts, ///< `device` holds other ranges
        Addends, ///< `device` holds the same ranges, but parts of a sum in one of the two
        DeviceOrder, ///< every device holds the same, but they are listed in another order
        OtherArrays, ///< nothing on this array: others of its rank would be held differently
    };
    Relation relation = Relation::Equal;
    Difference difference = Difference::None;
    std::int32_t device = -1; ///< the first such one in the order of `a` (of `b`, if it is in that one alone)
    bool inA = true, inB = true; ///< for Devices: which of the two have it
    std::vector<IndexRange> a, b; ///< what it holds, where it is part of them
    std::int64_t addendsOfA = 1, addendsOfB = 1;
};

/// Memory kinds are compared as they are given: settle them first where nothing said means a default. Errors: those of
/// layoutOf() with uneven parts padded; `where.path` is then "a" or "b".
[[nodiscard]] Result<ShardingComparison> compare(
    const Sharding& a, const Sharding& b, std::span<const std::int64_t> shape);

} // namespace shardscope

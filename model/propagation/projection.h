// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings projected onto the factors of an operation, and back.
//
// Rule ([i k], [k j]) -> [i j] with lhs sharded [{a}, {b}]: factor i holds {a} and factor k holds {b} in the lhs.
//
// A dimension of several factors deals out its axes from the major factor on: each takes the part of an axis that
// divides what is left of it (their gcd), the last one takes whatever remains, divisible or not.
//
//     dimension 8 = factors i=2, j=4 (major first), axes {a=4, b=2}: i takes a:(1)2, j takes a:(2)2 and b
//     dimension 8 = factors i=4, j=2, axes {a=2, b=3}: i takes a; b does not divide what is left of i, so {b} is i's
//     overflow, and j is closed and empty: an axis after an unsharded part would split the dimension into strided
//     parts
#pragma once

#include <optional>
#include <vector>

#include "program/op_row.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

struct FactorSharding {
    AxisList axes;
    AxisList overflow; ///< axes that no longer fit after `axes`
    bool closed = false;
    bool minorMost = false; ///< last factor of its dimension
    bool operator==(const FactorSharding&) const = default;
};

struct TensorProjection {
    std::vector<std::optional<FactorSharding>> factors; ///< per factor of the rule; absent where the tensor lacks it
    AxisList replicated;
    AxisList unreduced;
    bool operator==(const TensorProjection&) const = default;
};

struct ShardingProjection {
    std::vector<TensorProjection> operands;
    std::vector<TensorProjection> results;
    bool operator==(const ShardingProjection&) const = default;
};

/// Every dimension of `mapping` has at least one factor, as in all rules.
[[nodiscard]] TensorProjection project(
    const TensorSharding& sharding, const FactorRule::TensorMapping& mapping, const FactorRule& rule);
/// The same into memory that is there already.
void projectInto(TensorProjection& projection, const TensorSharding& sharding, const FactorRule::TensorMapping& mapping,
    const FactorRule& rule);

/// How many factors of a dimension count: axes after overflow or after a factor that is not fully sharded are dropped.
[[nodiscard]] std::size_t effectiveFactors(
    const TensorProjection& projection, const FactorRule::DimensionFactors& factors, const FactorRule& rule);
/// The sharding that the projection describes; openness per dimension from its factors, without priorities.
[[nodiscard]] TensorSharding unproject(
    const TensorProjection& projection, const FactorRule::TensorMapping& mapping, const FactorRule& rule);

} // namespace shardscope

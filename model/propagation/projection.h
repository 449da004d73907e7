// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings projected onto the factors of an operation, and back.
//
// Rule ([i k], [k j]) -> [i j] with lhs sharded [{a}, {b}]: factor i holds {a} and factor k holds {b} in the lhs. Axes
// that do not fit a factor are its overflow; see facts on projection for the gcd walk.
#pragma once

#include <optional>
#include <vector>

#include "program/op_row.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

struct FactorSharding {
    AxisList axes;
    AxisList overflow; ///< axes that no longer fit behind `axes`
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

[[nodiscard]] TensorProjection project(const TensorSharding& sharding, const FactorRule::TensorMapping& mapping,
    const FactorRule& rule, const Mesh& mesh);
/// The sharding that the projection describes; openness per dimension from its factors.
[[nodiscard]] TensorSharding unproject(const TensorProjection& projection, const FactorRule::TensorMapping& mapping,
    const FactorRule& rule, const Mesh& mesh);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The sharding of one array as propagation sees it (OpenXLA Shardy's TensorShardingAttr), over interned axes.
//
// Per dimension an ordered list of axis parts, major first, and whether propagation may add to it (open). `replicated`
// are axes that may not shard the array, `unreduced` are axes over which the array still has to be added up (partial).
//
// Invariants: no two refs of dims, replicated and unreduced overlap; neighbours that form one part are merged;
// replicated and unreduced are sorted by mesh order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/shared.h"
#include "mesh/axis_ref.h"
#include "sharding/partition_spec.h"

namespace shardscope {

using Shape = SmallVector<std::int64_t, 6>;

struct DimensionSharding {
    AxisList axes; ///< major first
    bool open = true; ///< propagation may append axes
    std::int32_t priority = -1; ///< user priority, -1 = none

    bool operator==(const DimensionSharding&) const = default;
};

struct TensorSharding {
    Shared<std::vector<DimensionSharding>> dims; ///< copies of a sharding share them
    AxisList replicated;
    AxisList unreduced;

    /// Every dimension open and unsharded: what a value without any annotation has.
    static TensorSharding open(std::size_t rank);
    /// Every dimension closed and unsharded.
    static TensorSharding fullyReplicated(std::size_t rank);

    [[nodiscard]] std::size_t rank() const { return dims.size(); }
    /// No axis in any dimension, none unreduced.
    [[nodiscard]] bool isFullyReplicated() const;
    /// Same axes in every dimension and the same unreduced axes; openness, priorities and `replicated` aside.
    [[nodiscard]] bool isEquivalent(const TensorSharding& other) const;
    bool operator==(const TensorSharding&) const = default;
};

/// A closed sharding from a valid spec (Unconstrained entries become open). `rank` >= spec.size().
[[nodiscard]] TensorSharding toTensorSharding(const PartitionSpec& spec, const Mesh& mesh, std::size_t rank);
/// Back to names. Parts of axes have no name in a spec: they are written "model:(1)2".
[[nodiscard]] PartitionSpec toPartitionSpec(const TensorSharding& sharding, const Mesh& mesh);

/// The axes, and parts of axes, along which the array is replicated: those that neither shard a dimension nor are
/// unreduced, in the order of the mesh, without those of size 1.
///     x=4, y=2, [{"x":(1)2}, {}]: x:(2)2, y
[[nodiscard]] AxisList replicatedAxes(const TensorSharding& sharding, const Mesh& mesh);

/// Number of shards of a dimension.
[[nodiscard]] std::int64_t shardCount(const DimensionSharding& dim);
/// Shape of the largest shard: ceil(size / shards) per dimension.
[[nodiscard]] Shape shardShape(const TensorSharding& sharding, std::span<const std::int64_t> shape);

} // namespace shardscope

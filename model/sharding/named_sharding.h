// SPDX-License-Identifier: GPL-3.0-or-later
// NamedSharding: a mesh and a spec, as in jax.sharding.
#pragma once

#include <memory>

#include "sharding/layout.h"
#include "sharding/partition_spec.h"

namespace shardscope {

struct NamedSharding {
    MeshPtr mesh;
    PartitionSpec spec;

    /// The layout of an array under this sharding, once validate() has passed.
    [[nodiscard]] Result<Layout> layout(std::span<const std::int64_t> shape) const;
    /// JAX's `==`: same mesh, same canonical spec, trailing Nones kept: P('x') differs from P('x', None).
    bool operator==(const NamedSharding& other) const;
};

/// JAX's is_equivalent_to: the same devices hold the same ranges of an array of rank `ndim`, in the same order.
[[nodiscard]] bool isEquivalent(const NamedSharding& a, const NamedSharding& b, std::size_t ndim);

} // namespace shardscope

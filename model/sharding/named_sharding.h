// SPDX-License-Identifier: GPL-3.0-or-later
// NamedSharding: a mesh and a spec, as in jax.sharding.
#pragma once

#include <memory>

#include "sharding/layout.h"
#include "sharding/memory_kind.h"
#include "sharding/partition_spec.h"

namespace shardscope {

struct NamedSharding {
    MeshPtr mesh;
    PartitionSpec spec;
    std::optional<MemoryKind> memoryKind = {}; ///< nothing: the default of the devices, see settledMemoryKind()

    /// The layout of an array under this sharding, once validate() has passed.
    [[nodiscard]] Result<Layout> layout(std::span<const std::int64_t> shape) const;
    /// JAX's `==`: same mesh, same canonical spec, same memory kind. Trailing Nones count: P('x') is not P('x', None).
    bool operator==(const NamedSharding& other) const;
};

/// JAX's is_equivalent_to: the same devices hold the same ranges of an array of rank `ndim`, in the same order, and in
/// the same memory.
[[nodiscard]] bool isEquivalent(const NamedSharding& a, const NamedSharding& b, std::size_t ndim);

} // namespace shardscope

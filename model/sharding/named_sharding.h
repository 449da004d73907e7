// SPDX-License-Identifier: GPL-3.0-or-later
// NamedSharding: a mesh and a spec, as in jax.sharding.
#pragma once

#include "sharding/layout.h"
#include "sharding/memory_kind.h"
#include "sharding/partition_spec.h"

namespace shardscope {

struct NamedSharding {
    MeshPtr mesh;
    PartitionSpec spec;
    std::optional<MemoryKind> memoryKind = {}; ///< nothing: the default of the devices, see settledMemoryKind()

    /// JAX's `==`: same mesh, same canonical spec, same memory kind. Trailing Nones count: P('x') is not P('x', None).
    bool operator==(const NamedSharding& other) const;
};

} // namespace shardscope

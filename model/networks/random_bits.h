// SPDX-License-Identifier: GPL-3.0-or-later
// Random bits as operations on integers: Threefry2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, SC 2011), as JAX
// computes them with jax_threefry_partitionable. Each element's bits follow from the key and from its own counter
// alone, so that every device makes those of its shard, and the same ones on any mesh.
//
//     words (a, b) = threefry(counter (high, low), key (first, second))      bits = a xor b
//     key (0, 0), counter (0, 0):   a = 0x6b200159, b = 0x99ba4efe, bits = 0xf29a4fa7
#pragma once

#include "program/builder.h"

namespace shardscope {

struct RandomKey {
    ValueId first, second; ///< scalars, u32
};
/// 32 bits per element, u32. `high` and `low` are u32 arrays of one shape, which the result has as well.
[[nodiscard]] ValueId randomBits(Builder& builder, const RandomKey& key, ValueId high, ValueId low);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The sizes that arrays have without the padding that uneven shardings need.
//
//     10 rows sharded 4 ways lie as 12 rows, 3 on each device: the value's type is 12 rows, its true shape 10
#pragma once

#include <unordered_map>

#include "program/program.h"

namespace shardscope {

/// Of the values of a program that are padded; all others have the shape of their type. Padding stands at the end of a
/// dimension, and what it holds is undefined.
using TrueShapes = std::unordered_map<ValueId, Shape>;

[[nodiscard]] inline Shape trueShape(const TrueShapes& shapes, const Program& program, ValueId value)
{
    const auto found = shapes.find(value);
    return found == shapes.end() ? *program.value(value).type.shape : found->second;
}

/// The type without padding where `sharding` splits that into shards as large as those that devices hold; else the type
/// as it is: an array that stands on its way from one sharding to another with its padding.
[[nodiscard]] inline TensorType typeAsSharded(
    const TrueShapes& shapes, const Program& program, ValueId value, const TensorSharding& sharding)
{
    TensorType type = program.value(value).type;
    const auto found = shapes.find(value);
    if (found != shapes.end() && sharding.rank() == type.rank()
        && shardShape(sharding, found->second) == shardShape(sharding, *type.shape))
        type.shape = found->second;
    return type;
}

/// What a device holds of a padded array.
struct PaddedShard {
    Shape full; ///< without padding
    Shape padded;
    TensorSharding sharding;
};

/// Elements of the device's shard that are no padding, per dimension, from the first on.
[[nodiscard]] Shape extentsAt(const PaddedShard& part, const MeshPtr& mesh, std::int32_t device);

} // namespace shardscope

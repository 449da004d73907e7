// SPDX-License-Identifier: GPL-3.0-or-later
// Changing a sharding as a plain value: axis by axis, as a click on a chip does, or all dimensions alike.
//
//     [{data}, {}], toggled model in dimension 0: [{data, model}, {}]; again in dimension 1: [{data}, {model}]
#pragma once

#include "sharding/tensor_sharding.h"

namespace shardscope {

/// The full axis shards that dimension after those that do already, and no other any more; where it (or a part of it)
/// shards the dimension, it goes. It leaves `replicated` and `unreduced`.
[[nodiscard]] TensorSharding withAxisToggled(TensorSharding sharding, std::size_t dimension, AxisRef full);
/// Where the axis stands among those of the dimension, from 0; -1 if it does not shard it.
[[nodiscard]] int placeOf(const TensorSharding& sharding, std::size_t dimension, AxisRef full);

/// Closes every dimension: propagation adds no axis to it.
void closeDimensions(TensorSharding& sharding);
/// Takes the user priorities away.
void dropPriorities(TensorSharding& sharding);

} // namespace shardscope

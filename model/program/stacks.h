// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays that hold one element per trip of a loop, along their first dimension: what loops read and leave trip by trip.
//
//     x: 4x8x16, i = 2:  sliceAt(b, x, i) is x[2], 8x16
#pragma once

#include "program/builder.h"

namespace shardscope {

/// The element at a scalar integer: a dynamic_slice without its first dimension.
[[nodiscard]] ValueId sliceAt(Builder& builder, ValueId stack, ValueId index);
/// The stack with that element at the index.
[[nodiscard]] ValueId updatedAt(Builder& builder, ValueId stack, ValueId element, ValueId index);
/// Has a loop of the region leave what `element`, a value of its body, is in every trip. `index` is a value of the body
/// too: 0 in the first trip, 1 in the second. Returns the result of the loop that holds all of them, trips x element.
[[nodiscard]] ValueId stackOf(
    Builder& builder, OperationId loop, RegionId region, ValueId element, ValueId index, std::int64_t trips);

} // namespace shardscope

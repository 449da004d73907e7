// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings as they leave propagation: closed, and dividing where arrays enter and leave the program.
#pragma once

#include "sharding/tensor_sharding.h"

namespace shardscope {

/// Every dimension closed, nothing replicated by order, no priorities, no axes of size 1.
[[nodiscard]] TensorSharding closed(const TensorSharding& sharding);

/// Cuts each dimension's axes to the longest beginning that divides its size (the last one perhaps to a part), and
/// open dimensions from their first part of an axis on. Size 6 with {data=4, model=3}: {data:(1)2}.
[[nodiscard]] TensorSharding dividing(
    const TensorSharding& sharding, std::span<const std::int64_t> shape, const Mesh& mesh);

/// The sharding that a result of main is returned in: what was declared, filled up along its open dimensions with the
/// axes that propagation gave to the value, then dividing and closed.
[[nodiscard]] TensorSharding resultSharding(
    const TensorSharding* declared, const TensorSharding& value, std::span<const std::int64_t> shape, const Mesh& mesh);

} // namespace shardscope

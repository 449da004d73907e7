// SPDX-License-Identifier: GPL-3.0-or-later
// What every builder of meshes asks of a shape first.
#pragma once

#include <limits>

#include "base/codes.h"
#include "mesh/device_array.h"

namespace shardscope {

/// Product of the sizes, limited to the range of the type.
[[nodiscard]] inline std::int64_t productOf(std::span<const std::int64_t> shape)
{
    std::int64_t product = 1;
    bool beyond = false;
    for (const std::int64_t size : shape) {
        if (size == 0)
            return 0;
        beyond = beyond || __builtin_mul_overflow(product, size, &product);
    }
    return beyond ? std::numeric_limits<std::int64_t>::max() : product;
}

/// Error: TooLarge for more axes than a mesh can have.
[[nodiscard]] inline Result<void> checkRank(std::span<const std::int64_t> shape)
{
    if (shape.size() > maximumMeshAxes)
        return fail(
            Code::TooLarge, { { "what", "mesh axes" }, { "count", shape.size() }, { "limit", maximumMeshAxes } });
    return {};
}

/// Error: InvalidAxisSize for sizes below 1.
[[nodiscard]] inline Result<void> checkSizes(std::span<const std::int64_t> shape)
{
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] < 1)
            return fail(Code::InvalidAxisSize, { { "axis", std::to_string(i) }, { "size", shape[i] } });
    return {};
}

} // namespace shardscope

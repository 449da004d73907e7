// SPDX-License-Identifier: GPL-3.0-or-later
// Transposition of device arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shardscope {

struct StridedAxis {
    std::int64_t size = 1;
    std::int64_t stride = 0; ///< in the source
};

/// Row-major over `axes`: out[i0, i1, ...] = source[i0 * stride0 + i1 * stride1 + ...].
[[nodiscard]] std::vector<std::int32_t> gatherStrided(
    std::span<const std::int32_t> source, std::span<const StridedAxis> axes);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Counts of bytes as whole numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace shardscope {

/// The next whole number of bytes; the largest 64-bit number for anything beyond, 0 for anything below.
[[nodiscard]] inline std::int64_t toBytes(double bytes)
{
    if (!(bytes > 0))
        return 0;
    return bytes < 0x1p63 ? static_cast<std::int64_t>(std::ceil(bytes)) : std::numeric_limits<std::int64_t>::max();
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace shardscope {

/// a / b rounded up, for a >= 0 and b > 0.
[[nodiscard]] constexpr std::int64_t ceilDivide(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

} // namespace shardscope

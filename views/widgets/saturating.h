// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of bytes that stay at the largest number instead of wrapping: one array of a file may be 2^62 bytes big, so two
// of them are more than fits.
#pragma once

#include <cstdint>
#include <limits>

namespace shardscope {

/// For numbers that are not negative.
[[nodiscard]] constexpr std::int64_t saturatingSum(std::int64_t a, std::int64_t b)
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return a > most - b ? most : a + b;
}

} // namespace shardscope

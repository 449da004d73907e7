// SPDX-License-Identifier: GPL-3.0-or-later
// Threefry2x32-20 from its paper (Salmon et al., 2011), a round at a time, for comparison.
#pragma once

#include <array>
#include <cstdint>

namespace shardscope::test {

/// The two words that the key makes of the counter, one xor the other.
inline std::uint32_t plainRandomBits(std::array<std::uint32_t, 2> key, std::array<std::uint32_t, 2> counter)
{
    constexpr std::array<unsigned, 8> rotations{ 13, 15, 26, 6, 17, 29, 16, 24 };
    const std::array<std::uint32_t, 3> keys{ key[0], key[1], key[0] ^ key[1] ^ 466688986U };
    auto [a, b] = counter;
    for (unsigned round = 0; round <= 20; ++round) {
        if (round % 4 == 0) {
            a += keys[round / 4 % 3];
            b += keys[(round / 4 + 1) % 3] + round / 4;
        }
        if (round == 20)
            break;
        a += b;
        const unsigned places = rotations[round % 8];
        b = (b << places | b >> (32 - places)) ^ a;
    }
    return a ^ b;
}

} // namespace shardscope::test

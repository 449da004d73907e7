// SPDX-License-Identifier: GPL-3.0-or-later
// Threefry2x32-20, a counter-based random number generator (Salmon, Moraes, Dror and Shaw, SC 2011).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace shardscope::kernels {

[[nodiscard]] constexpr std::array<std::uint32_t, 2> threefry(
    std::array<std::uint32_t, 2> counter, std::array<std::uint32_t, 2> key)
{
    constexpr int rotations[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
    const std::uint32_t keys[3] = { key[0], key[1], 0x1BD11BDAU ^ key[0] ^ key[1] };
    std::uint32_t x = counter[0] + keys[0], y = counter[1] + keys[1];
    for (unsigned group = 0; group < 5; ++group) {
        for (const int rotation : rotations[group % 2]) {
            x += y;
            y = std::rotl(y, rotation) ^ x;
        }
        x += keys[(group + 1) % 3];
        y += keys[(group + 2) % 3] + group + 1;
    }
    return { x, y };
}

} // namespace shardscope::kernels

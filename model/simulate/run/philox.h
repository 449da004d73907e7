// SPDX-License-Identifier: GPL-3.0-or-later
// Philox4x32-10, a counter-based random number generator: the bits at a place of the sequence are a function of key and
// place alone (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
#pragma once

#include <array>
#include <cstdint>

namespace shardscope {

[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(
    std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key)
{
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t first = std::uint64_t{ 0xD2511F53 } * counter[0];
        const std::uint64_t second = std::uint64_t{ 0xCD9E8D57 } * counter[2];
        counter = { static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
            static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first) };
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return counter;
}

} // namespace shardscope

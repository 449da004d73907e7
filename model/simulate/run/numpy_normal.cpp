// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/numpy_normal.h"

#include <array>
#include <bit>
#include <cmath>

namespace shardscope {

namespace {

#include "simulate/run/ziggurat_tables.inl"

__extension__ using Word128 = unsigned __int128;

/// NumPy's SeedSequence(seed).generate_state(4, uint64): words of the seed are mixed into a pool of four.
std::array<std::uint64_t, 4> mixedSeed(std::uint64_t seed)
{
    constexpr std::uint32_t firstA = 0x43b0d7e5, factorA = 0x931e8875, firstB = 0x8b51f9dd, factorB = 0x58f38ded;
    constexpr std::uint32_t left = 0xca01f9dd, right = 0x4973f715;
    constexpr int shift = 16;
    const auto hashed = [](std::uint32_t word, std::uint32_t& constant, std::uint32_t factor) {
        word ^= constant;
        constant *= factor;
        word *= constant;
        return word ^ (word >> shift);
    };
    std::array<std::uint32_t, 4> pool{ static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32) };
    std::uint32_t constant = firstA;
    for (std::uint32_t& word : pool)
        word = hashed(word, constant, factorA);
    for (std::size_t from = 0; from < pool.size(); ++from)
        for (std::size_t to = 0; to < pool.size(); ++to)
            if (from != to) {
                const std::uint32_t mixed = left * pool[to] - right * hashed(pool[from], constant, factorA);
                pool[to] = mixed ^ (mixed >> shift);
            }
    std::array<std::uint64_t, 4> state{};
    constant = firstB;
    for (std::size_t i = 0; i < 2 * state.size(); ++i)
        state[i / 2] |= std::uint64_t{ hashed(pool[i % pool.size()], constant, factorB) } << (i % 2 * 32);
    return state;
}

class NumpyGenerator {
public:
    explicit NumpyGenerator(std::uint64_t seed)
    {
        const auto words = mixedSeed(seed);
        m_increment = joined(words[2], words[3]) << 1 | 1;
        advance();
        m_state += joined(words[0], words[1]);
        advance();
    }

    double normal()
    {
        constexpr std::uint64_t fraction = (std::uint64_t{ 1 } << 52) - 1;
        constexpr double tail = 3.6541528853610087963519472518, inverseTail = 0.27366123732975827203338247596;
        while (true) {
            std::uint64_t bits = word();
            const std::size_t strip = bits & 0xff;
            bits >>= 8;
            const std::uint64_t size = bits >> 1 & fraction;
            const double width = static_cast<double>(size) * zigguratWidth[strip];
            const double x = (bits & 1) != 0 ? -width : width;
            if (size < zigguratSure[strip])
                return x;
            if (strip != 0) {
                if ((zigguratHeight[strip - 1] - zigguratHeight[strip]) * uniform() + zigguratHeight[strip]
                    < std::exp(-0.5 * x * x))
                    return x;
                continue;
            }
            while (true) { // beyond the last strip
                const double beyond = -inverseTail * std::log1p(-uniform());
                const double y = -std::log1p(-uniform());
                if (y + y > beyond * beyond)
                    return (size >> 8 & 1) != 0 ? -(tail + beyond) : tail + beyond;
            }
        }
    }

private:
    static Word128 joined(std::uint64_t high, std::uint64_t low) { return Word128{ high } << 64 | low; }
    void advance() { m_state = m_state * joined(0x2360ed051fc65da4, 0x4385df649fccf645) + m_increment; }
    std::uint64_t word()
    {
        advance();
        const auto high = static_cast<std::uint64_t>(m_state >> 64), low = static_cast<std::uint64_t>(m_state);
        return std::rotr(high ^ low, static_cast<int>(m_state >> 122));
    }
    double uniform() { return static_cast<double>(word() >> 11) * 0x1p-53; }

    Word128 m_state = 0, m_increment = 0;
};

} // namespace

std::vector<double> numpyNormals(std::uint64_t seed, std::int64_t first, std::int64_t count)
{
    NumpyGenerator generator(seed);
    for (std::int64_t i = 0; i < first; ++i)
        static_cast<void>(generator.normal());
    std::vector<double> numbers(static_cast<std::size_t>(count));
    for (double& number : numbers)
        number = generator.normal();
    return numbers;
}

} // namespace shardscope

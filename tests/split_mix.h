// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers that are the same everywhere: the distributions of the standard library differ between libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardscope::test {

/// SplitMix64 (Steele, Lea and Flood, 2014).
class SplitMix {
public:
    explicit SplitMix(std::uint64_t seed)
        : m_state(seed)
    {
    }
    std::uint64_t next()
    {
        std::uint64_t z = (m_state += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    /// From 0 to below `end`, which is not 0.
    std::size_t below(std::size_t end) { return static_cast<std::size_t>(next() % end); }
    /// True once in so many times.
    bool once(std::size_t in) { return below(in) == 0; }
    template <class T>
    T& of(std::vector<T>& list)
    {
        return list[below(list.size())];
    }

private:
    std::uint64_t m_state;
};

} // namespace shardscope::test

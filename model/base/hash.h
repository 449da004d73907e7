// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes of stage inputs. Stable within one build of the program; never written to files.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace shardscope {

class Hasher {
public:
    template <class T>
    requires std::integral<T> || std::is_enum_v<T> Hasher& add(T value)
    {
        mix(static_cast<std::uint64_t>(value));
        return *this;
    }
    Hasher& add(double value)
    {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        mix(bits);
        return *this;
    }
    Hasher& add(std::string_view text)
    {
        mix(text.size());
        for (const char c : text)
            m_state = (m_state ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
        mix(0);
        return *this;
    }
    [[nodiscard]] std::uint64_t value() const { return m_state; }

private:
    void mix(std::uint64_t value)
    {
        // The finaliser of SplitMix64 (Steele, Lea and Flood, 2014) over the running state.
        std::uint64_t z = m_state + 0x9e3779b97f4a7c15ULL + value;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        m_state = z ^ (z >> 31);
    }
    std::uint64_t m_state = 0x5ca1ab1e0ddba11ULL;
};

} // namespace shardscope

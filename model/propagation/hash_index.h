// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of things that are kept once each, found by their hash. The things themselves live elsewhere.
#pragma once

#include <cstdint>
#include <vector>

namespace shardscope {

class HashIndex {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{ 0 };

    /// The number with this hash of which `same(number)` holds, or none.
    template <class Same>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, Same same) const
    {
        if (m_slots.empty())
            return none;
        for (std::size_t i = hash & (m_slots.size() - 1);; i = (i + 1) & (m_slots.size() - 1)) {
            const Slot& slot = m_slots[i];
            if (slot.number == none)
                return none;
            if (slot.hash == hash && same(slot.number))
                return slot.number;
        }
    }
    /// A number that is not in yet.
    void insert(std::uint64_t hash, std::uint32_t number)
    {
        if (2 * (m_count + 1) > m_slots.size())
            grow();
        place(hash, number);
        ++m_count;
    }

private:
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t number = none;
    };
    static constexpr std::size_t smallest = 64;

    void place(std::uint64_t hash, std::uint32_t number)
    {
        std::size_t i = hash & (m_slots.size() - 1);
        while (m_slots[i].number != none)
            i = (i + 1) & (m_slots.size() - 1);
        m_slots[i] = { hash, number };
    }
    void grow()
    {
        std::vector<Slot> old(m_slots.empty() ? smallest : 2 * m_slots.size());
        old.swap(m_slots);
        for (const Slot& slot : old)
            if (slot.number != none)
                place(slot.hash, slot.number);
    }

    std::vector<Slot> m_slots; ///< a power of two of them, at most half in use
    std::size_t m_count = 0;
};

} // namespace shardscope

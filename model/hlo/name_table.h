// SPDX-License-Identifier: GPL-3.0-or-later
// Finds numbers by texts that stand elsewhere: names of instructions, texts of shapes. Only the numbers are kept.
//
//     NameTable table;
//     table.add("x", 0, nameOf);
//     table.find("x", nameOf)      // 0; nameOf(0) is "x"
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace shardscope::hlo {

class NameTable {
public:
    static constexpr std::uint32_t none = 0xffff'ffff;

    /// `textOf(number)` is the text of a number that was added.
    template <class TextOf>
    [[nodiscard]] std::uint32_t find(std::string_view text, const TextOf& textOf) const
    {
        return m_slots.empty() ? none : m_slots[slotOf(text, textOf)];
    }
    /// The text must not be there yet.
    template <class TextOf>
    void add(std::string_view text, std::uint32_t number, const TextOf& textOf)
    {
        if ((m_used.size() + 1) * 2 > m_slots.size())
            grow(textOf);
        const std::size_t slot = slotOf(text, textOf);
        m_slots[slot] = number;
        m_used.push_back(static_cast<std::uint32_t>(slot));
    }
    /// Forgets everything; costs what was added.
    void clear()
    {
        for (const std::uint32_t slot : m_used)
            m_slots[slot] = none;
        m_used.clear();
    }

private:
    template <class TextOf>
    [[nodiscard]] std::size_t slotOf(std::string_view text, const TextOf& textOf) const
    {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t slot = std::hash<std::string_view>()(text) & mask;
        while (m_slots[slot] != none && textOf(m_slots[slot]) != text)
            slot = (slot + 1) & mask;
        return slot;
    }
    template <class TextOf>
    void grow(const TextOf& textOf)
    {
        std::vector<std::uint32_t> numbers;
        numbers.reserve(m_used.size());
        for (const std::uint32_t slot : m_used)
            numbers.push_back(m_slots[slot]);
        m_slots.assign(m_slots.empty() ? 64 : m_slots.size() * 2, none);
        m_used.clear();
        for (const std::uint32_t number : numbers) {
            const std::size_t slot = slotOf(textOf(number), textOf);
            m_slots[slot] = number;
            m_used.push_back(static_cast<std::uint32_t>(slot));
        }
    }

    std::vector<std::uint32_t> m_slots; ///< open addressing; the size is a power of two
    std::vector<std::uint32_t> m_used; ///< in the order in which they were added
};

} // namespace shardscope::hlo

// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/value_names.h"

#include <functional>
#include <optional>

#include "stablehlo/scanner.h"

namespace shardscope::mlir {

namespace {

/// The number that a name is; nothing for other names and for such with leading zeros.
std::optional<std::uint32_t> numberOf(std::string_view name)
{
    if (name.empty() || name.size() > 9 || (name.size() > 1 && name[0] == '0'))
        return {};
    std::uint32_t number = 0;
    for (const char c : name) {
        if (!isDigit(c))
            return {};
        number = number * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return number;
}

} // namespace

void ValueNames::clear()
{
    m_numbered.clear();
    m_slots.clear();
    m_used = 0;
    m_log.clear();
    m_scopes.clear();
    m_count = 0;
}

std::string_view valueNameAt(std::string_view text, std::size_t offset)
{
    std::size_t end = offset;
    if (end < text.size() && isDigit(text[end])) {
        while (end < text.size() && isDigit(text[end]))
            ++end;
    } else {
        while (end < text.size() && (isWordCharacter(text[end]) || text[end] == '-'))
            ++end;
    }
    return text.substr(offset, end - offset);
}

std::string_view ValueNames::nameAt(std::uint32_t offset) const
{
    return valueNameAt(m_text, offset);
}

std::size_t ValueNames::hashOf(std::string_view name)
{
    return std::hash<std::string_view>()(name);
}

std::size_t ValueNames::slotOf(std::string_view name) const
{
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = hashOf(name) & mask;
    while (m_slots[slot].offset != free) {
        const std::uint32_t offset = m_slots[slot].offset;
        if (m_text.compare(offset, name.size(), name) == 0 && nameAt(offset).size() == name.size())
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

void ValueNames::grow()
{
    std::vector<Slot> before = std::move(m_slots);
    m_slots.assign(before.empty() ? 64 : before.size() * 2, {});
    for (const Slot& slot : before)
        if (slot.offset != free)
            m_slots[slotOf(nameAt(slot.offset))] = slot;
}

bool ValueNames::add(std::string_view name, ValueId value)
{
    const auto offset = static_cast<std::uint32_t>(name.data() - m_text.data());
    const std::optional<std::uint32_t> number = numberOf(name);
    // A number far beyond all others would need a large table for itself.
    if (number && (*number < m_numbered.size() || *number <= 2 * m_count + 1024)) {
        if (find(name).valid())
            return false;
        if (*number >= m_numbered.size())
            m_numbered.resize(*number + 1);
        m_numbered[*number] = value;
    } else {
        if (number && find(name).valid())
            return false;
        if (4 * (m_used + 1) > 3 * m_slots.size())
            grow();
        Slot& slot = m_slots[slotOf(name)];
        if (slot.offset != free)
            return false;
        slot = { offset, value };
        ++m_used;
    }
    ++m_count;
    if (!m_scopes.empty())
        m_log.push_back(offset);
    return true;
}

ValueId ValueNames::find(std::string_view name) const
{
    if (const auto number = numberOf(name); number && *number < m_numbered.size() && m_numbered[*number].valid())
        return m_numbered[*number];
    return m_slots.empty() ? ValueId() : m_slots[slotOf(name)].value;
}

void ValueNames::remove(std::string_view name)
{
    --m_count;
    if (const auto number = numberOf(name); number && *number < m_numbered.size() && m_numbered[*number].valid()) {
        m_numbered[*number] = ValueId();
        return;
    }
    // What follows in the same run moves up, so that a search still finds it.
    const std::size_t mask = m_slots.size() - 1;
    std::size_t hole = slotOf(name);
    m_slots[hole] = {};
    --m_used;
    for (std::size_t next = (hole + 1) & mask; m_slots[next].offset != free; next = (next + 1) & mask) {
        const std::size_t home = hashOf(nameAt(m_slots[next].offset)) & mask;
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            m_slots[hole] = m_slots[next];
            m_slots[next] = {};
            hole = next;
        }
    }
}

void ValueNames::closeScope()
{
    const std::size_t begin = m_scopes.back();
    while (m_log.size() > begin) {
        remove(nameAt(m_log.back()));
        m_log.pop_back();
    }
    m_scopes.pop_back();
}

} // namespace shardscope::mlir

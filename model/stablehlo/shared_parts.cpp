// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/shared_parts.h"

#include <algorithm>
#include <cstring>

namespace shardscope::mlir {

namespace {

/// Of short texts, eight bytes at a time.
std::uint64_t hashOf(std::string_view text)
{
    constexpr std::uint64_t factor = 0x9e37'79b9'7f4a'7c15ULL;
    std::uint64_t hash = text.size() * factor;
    const auto mix = [&](std::uint64_t bytes) {
        hash = (hash ^ bytes) * factor;
        hash ^= hash >> 32;
    };
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + i, 8);
        mix(bytes);
    }
    if (i < text.size()) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + i, text.size() - i);
        mix(bytes);
    }
    return hash;
}

template <class T>
std::uint64_t hashOf(std::span<const T> items)
{
    return hashOf(std::string_view(reinterpret_cast<const char*>(items.data()), items.size_bytes()));
}

} // namespace

SharedParts::SharedParts()
    : m_types(typeSlots)
{
}

const TensorType* SharedParts::type(std::string_view text) const
{
    const TypeText& slot = m_types[hashOf(text) % typeSlots];
    return slot.text == text ? &slot.type : nullptr;
}

void SharedParts::remember(std::string_view text, const TensorType& type)
{
    m_types[hashOf(text) % typeSlots] = { text, type };
}

Shared<Shape> SharedParts::shape(Shape shape)
{
    if (shape.empty())
        return {};
    const std::uint64_t hash = hashOf(std::span<const std::int64_t>(shape));
    const auto found = m_shapes.find(hash);
    if (found != m_shapes.end() && *found->second == shape)
        return found->second;
    Shared<Shape> made(std::move(shape));
    if (found == m_shapes.end() && m_shapes.size() < most)
        m_shapes.emplace(hash, made);
    return made;
}

DimensionList SharedParts::dimensions(std::span<const std::int64_t> dimensions)
{
    if (dimensions.empty())
        return {};
    const std::uint64_t hash = hashOf(dimensions);
    const auto found = m_dimensions.find(hash);
    if (found != m_dimensions.end()
        && std::equal((*found->second).begin(), (*found->second).end(), dimensions.begin(), dimensions.end()))
        return found->second;
    DimensionList made(Dimensions(dimensions.begin(), dimensions.end()));
    if (found == m_dimensions.end() && m_dimensions.size() < most)
        m_dimensions.emplace(hash, made);
    return made;
}

Attributes SharedParts::attributes(Attributes attributes)
{
    if (!std::holds_alternative<SharedAttributes>(attributes)
        && !std::holds_alternative<ConstraintAttributes>(attributes))
        return attributes;
    const std::uint64_t key = hash(attributes);
    const auto found = m_attributes.find(key);
    if (found != m_attributes.end())
        return found->second == attributes ? found->second : attributes;
    if (m_attributes.size() < most)
        m_attributes.emplace(key, attributes);
    return attributes;
}

ElementBytes SharedParts::elements(std::vector<std::byte> bytes)
{
    constexpr std::size_t longest = 16;
    if (bytes.size() > longest)
        return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    std::string key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (const auto found = m_elements.find(key); found != m_elements.end())
        return found->second;
    auto made = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    if (m_elements.size() < most)
        m_elements.emplace(std::move(key), made);
    return made;
}

Shared<std::string> TextPool::text(std::string_view text)
{
    if (text.empty())
        return {};
    if (4 * (m_used + 1) > 3 * m_slots.size()) {
        std::vector<Shared<std::string>> before = std::move(m_slots);
        m_slots.clear();
        m_slots.resize(before.empty() ? 64 : 2 * before.size());
        for (Shared<std::string>& one : before) {
            if (one.empty())
                continue;
            std::size_t slot = hashOf(*one) & (m_slots.size() - 1);
            while (!m_slots[slot].empty())
                slot = (slot + 1) & (m_slots.size() - 1);
            m_slots[slot] = std::move(one);
        }
    }
    std::size_t slot = hashOf(text) & (m_slots.size() - 1);
    for (; !m_slots[slot].empty(); slot = (slot + 1) & (m_slots.size() - 1))
        if (m_slots[slot] == text)
            return m_slots[slot];
    ++m_used;
    return m_slots[slot] = Shared<std::string>(text);
}

std::size_t Aliases::slotOf(std::string_view name) const
{
    std::size_t slot = hashOf(name) & (m_slots.size() - 1);
    while (m_slots[slot].nameLength != 0 && m_text.substr(m_slots[slot].name, m_slots[slot].nameLength) != name)
        slot = (slot + 1) & (m_slots.size() - 1);
    return slot;
}

bool Aliases::add(std::string_view name, std::string_view meaning)
{
    if (4 * (m_used + 1) > 3 * m_slots.size()) {
        const std::vector<Slot> before = std::move(m_slots);
        m_slots.assign(before.empty() ? 64 : 2 * before.size(), {});
        for (const Slot& slot : before)
            if (slot.nameLength != 0)
                m_slots[slotOf(m_text.substr(slot.name, slot.nameLength))] = slot;
    }
    Slot& slot = m_slots[slotOf(name)];
    if (slot.nameLength != 0)
        return false;
    const auto at = [&](std::string_view part) { return static_cast<std::uint32_t>(part.data() - m_text.data()); };
    slot = { at(name), static_cast<std::uint32_t>(name.size()), at(meaning),
        static_cast<std::uint32_t>(meaning.size()) };
    ++m_used;
    return true;
}

std::string_view Aliases::find(std::string_view name) const
{
    if (m_slots.empty())
        return {};
    const Slot& slot = m_slots[slotOf(name)];
    return m_text.substr(slot.meaning, slot.meaningLength);
}

} // namespace shardscope::mlir

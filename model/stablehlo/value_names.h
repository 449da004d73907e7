// SPDX-License-Identifier: GPL-3.0-or-later
// Which value a name stands for, while a function is read. Names are views into the text: a table of 200 MB of text
// must not hold them a second time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "program/types.h"

namespace shardscope::mlir {

/// The name, or the number, that begins at `offset` after the sign.
[[nodiscard]] std::string_view valueNameAt(std::string_view text, std::size_t offset);

class ValueNames {
public:
    explicit ValueNames(std::string_view text)
        : m_text(text)
    {
    }

    /// Forgets all names and scopes.
    void clear();
    void openScope() { m_scopes.push_back(m_log.size()); }
    /// Forgets the names of the innermost scope.
    void closeScope();
    /// False if the name stands for something already. `name` (without "%") is a view into the text.
    bool add(std::string_view name, ValueId value);
    /// Invalid if the name is not known.
    [[nodiscard]] ValueId find(std::string_view name) const;

private:
    /// The name begins at `offset` and ends where no character of a name follows.
    struct Slot {
        std::uint32_t offset = free;
        ValueId value;
    };
    static constexpr std::uint32_t free = 0xffff'ffff;

    [[nodiscard]] std::string_view nameAt(std::uint32_t offset) const;
    [[nodiscard]] static std::size_t hashOf(std::string_view name);
    [[nodiscard]] std::size_t slotOf(std::string_view name) const;
    void grow();
    void remove(std::string_view name);

    std::string_view m_text;
    std::vector<ValueId> m_numbered; ///< of names that are numbers: almost all
    std::vector<Slot> m_slots; ///< open addressing; the size is a power of two
    std::size_t m_used = 0;
    std::vector<std::uint32_t> m_log; ///< offsets of the names in scopes, in the order in which they were added
    std::vector<std::size_t> m_scopes;
    std::size_t m_count = 0;
};

} // namespace shardscope::mlir

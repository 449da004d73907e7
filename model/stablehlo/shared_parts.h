// SPDX-License-Identifier: GPL-3.0-or-later
// What a text says again and again, held once: types, lists of dimensions, attributes, small constants, locations.
// All tables are bounded, so that a text in which everything differs does not pay for them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace shardscope::mlir {

class SharedParts {
public:
    SharedParts();

    /// The type that was remembered for this text; null for none.
    [[nodiscard]] const TensorType* type(std::string_view text) const;
    /// `text` has to outlive this object.
    void remember(std::string_view text, const TensorType& type);
    [[nodiscard]] Shared<Shape> shape(Shape shape);
    [[nodiscard]] DimensionList dimensions(std::span<const std::int64_t> dimensions);
    /// The same attributes; those on the heap in common with what was asked for before.
    [[nodiscard]] Attributes attributes(Attributes attributes);
    [[nodiscard]] ElementBytes elements(std::vector<std::byte> bytes);

private:
    struct TypeText {
        std::string_view text;
        TensorType type;
    };
    static constexpr std::size_t most = 65'536; ///< entries of a table
    static constexpr std::size_t typeSlots = 1024;

    std::vector<TypeText> m_types; ///< by hash; a later one takes the place of an earlier one
    std::unordered_map<std::uint64_t, Shared<Shape>> m_shapes; ///< by hash
    std::unordered_map<std::uint64_t, DimensionList> m_dimensions; ///< by hash
    std::unordered_map<std::uint64_t, Attributes> m_attributes; ///< by hash
    std::unordered_map<std::string, ElementBytes> m_elements;
};

/// Texts, each once.
class TextPool {
public:
    [[nodiscard]] Shared<std::string> text(std::string_view text);

private:
    std::vector<Shared<std::string>> m_slots; ///< open addressing; the size is a power of two
    std::size_t m_used = 0;
};

/// "#map" and "!t" with their texts. All are views into one text of less than 4 GiB.
class Aliases {
public:
    explicit Aliases(std::string_view text)
        : m_text(text)
    {
    }
    /// False if there is one of that name.
    bool add(std::string_view name, std::string_view meaning);
    /// What the name stands for; empty if it is not known.
    [[nodiscard]] std::string_view find(std::string_view name) const;

private:
    struct Slot {
        std::uint32_t name = 0, nameLength = 0; ///< length 0: free
        std::uint32_t meaning = 0, meaningLength = 0;
    };
    [[nodiscard]] std::size_t slotOf(std::string_view name) const;

    std::string_view m_text;
    std::vector<Slot> m_slots; ///< open addressing; the size is a power of two
    std::size_t m_used = 0;
};

} // namespace shardscope::mlir

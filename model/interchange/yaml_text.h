// SPDX-License-Identifier: GPL-3.0-or-later
// YAML text with positions, as far as configuration files need it: scalars, lists and mappings, no aliases.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

struct YamlNode {
    enum class Type : std::uint8_t { Scalar, List, Mapping };
    Type type = Type::Scalar;
    std::string text; ///< of a scalar
    bool quoted = false; ///< a scalar in quotes or a block is text, whatever it looks like
    std::vector<YamlNode> items; ///< of a mapping: key, value, key, value, ...
    int line = 1; ///< where it begins; columns count characters
    int column = 1;

    /// null, Null, NULL, ~ and nothing at all, as YAML 1.1 has it. Python's None is text like any other.
    [[nodiscard]] bool isNull() const;
    [[nodiscard]] Where where() const;
    /// How it is named in messages: "a list", "'data'".
    [[nodiscard]] std::string shown() const;
};

struct YamlLimits {
    std::size_t bytes = std::size_t{ 4 } << 20;
    std::size_t nodes = 500'000;
    std::size_t depth = 64;
};

/// The first document, which must be the only one. Keys that occur twice in a mapping, and keys that are no scalars,
/// are errors. Errors: Syntax, DuplicateKey, TooLarge, with line and column.
[[nodiscard]] Result<YamlNode> parseYaml(std::string_view text, const YamlLimits& limits = {});

/// A scalar in single quotes, or in double quotes with escapes where it has characters that YAML cannot show.
[[nodiscard]] std::string quoteYaml(std::string_view text);

} // namespace shardscope

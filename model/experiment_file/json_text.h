// SPDX-License-Identifier: GPL-3.0-or-later
// JSON text with positions: every value knows the line and column where it stands, so that a reader can say what is
// wrong where. Comments and trailing commas are tolerated; a key that occurs twice is an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

/// Both count from 1; columns count characters, not bytes.
struct TextPosition {
    std::int32_t line = 1;
    std::int32_t column = 1;
    bool operator==(const TextPosition&) const = default;
};

struct JsonNode {
    enum class Type : std::uint8_t { Null, Boolean, Integer, Real, String, Array, Object };
    Type type = Type::Null;
    bool boolean = false;
    TextPosition at; ///< of the value
    TextPosition keyAt; ///< of its key, in objects
    std::string key;
    std::string text; ///< the content of a string; a number as it is written
    std::vector<JsonNode> children; ///< of arrays and objects, in the order of the file

    [[nodiscard]] const JsonNode* find(std::string_view name) const;
};

struct JsonLimits {
    std::size_t bytes = std::size_t{ 64 } << 20;
    std::size_t depth = 64;
    std::size_t values = 2'000'000;
};

struct JsonText {
    JsonNode root;
    bool complete = false; ///< false: syntax error, `root` is not to be used
    /// Syntax (at most one, the first), DuplicateKey, OutOfRange (numbers beyond 64 bits or not finite), TooLarge.
    std::vector<Diagnostic> errors;
    std::size_t lost = 0; ///< comments and trailing commas, which are not values
    TextPosition firstLost;
};

[[nodiscard]] JsonText parseJson(std::string_view text, const JsonLimits& limits = {});

/// On one line: { "a": [1, 2], "b": null }. Numbers as they were written.
[[nodiscard]] std::string printInline(const JsonNode& node);
/// A string literal with its quotes. Anything but quotes, backslashes and control characters stays as it is.
[[nodiscard]] std::string quoteJson(std::string_view text);
/// The value that a JSON pointer names; null if there is none.
[[nodiscard]] const JsonNode* findNode(const JsonNode& root, std::string_view pointer);
/// Appends a key or an index to a JSON pointer (RFC 6901).
[[nodiscard]] std::string pointerTo(std::string_view parent, std::string_view key);
[[nodiscard]] std::string pointerTo(std::string_view parent, std::size_t index);

} // namespace shardscope

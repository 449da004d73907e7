// SPDX-License-Identifier: GPL-3.0-or-later
// Small parts of texts: lists with separators, numbers, digits.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace shardscope {

/// Texts and numbers as they are.
struct AsText {
    std::string operator()(std::string_view item) const { return std::string(item); }
    std::string operator()(std::integral auto item) const { return std::to_string(item); }
};

/// The items with separators between them, empty items included: join(shape, "x") is "4x16". `text` makes a text of
/// each.
template <class List, class Text = AsText>
[[nodiscard]] std::string join(const List& list, std::string_view separator, const Text& text = {})
{
    std::string all;
    bool isFirst = true;
    for (const auto& item : list) {
        if (!isFirst)
            all += separator;
        isFirst = false;
        all += text(item);
    }
    return all;
}

/// As Python writes a tuple: "(4, 16)", "(4,)", "()". `text` makes a text of each item.
template <class List, class Text = AsText>
[[nodiscard]] std::string pythonTuple(const List& list, const Text& text = {})
{
    return "(" + join(list, ", ", text) + (list.size() == 1 ? ",)" : ")");
}

/// The text with a space for each line break and other control character: as the rest of a comment has it.
[[nodiscard]] inline std::string onOneLine(std::string text)
{
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20)
            c = ' ';
    return text;
}

/// The number that is the whole text.
template <class Number>
[[nodiscard]] std::optional<Number> wholeNumber(std::string_view text)
{
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The value of a hexadecimal digit; -1 of other characters.
[[nodiscard]] constexpr int hexDigit(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
        : c >= 'a' && c <= 'f'  ? c - 'a' + 10
        : c >= 'A' && c <= 'F'  ? c - 'A' + 10
                                : -1;
}

/// Between double quotes, with a backslash before those in it and before backslashes.
[[nodiscard]] inline std::string quotedPlain(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

/// A name as a part of a JSON pointer.
[[nodiscard]] inline std::string pointerPart(std::string_view key)
{
    std::string out;
    for (const char c : key)
        out += c == '~' ? std::string("~0") : c == '/' ? std::string("~1") : std::string(1, c);
    return out;
}

} // namespace shardscope

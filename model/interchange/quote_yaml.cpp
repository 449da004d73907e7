// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in yaml_text.h.
#include "interchange/yaml_text.h"

namespace shardscope {

namespace {

/// One character of UTF-8. What is no UTF-8 counts byte by byte, as code 0.
struct Character {
    std::uint32_t code = 0;
    std::size_t length = 1;
};

Character characterAt(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t first = byte(at);
    if (first < 0x80)
        return { first, 1 };
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
    if (length == 1 || at + length > text.size())
        return {};
    std::uint32_t code = first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0U) != 0x80)
            return {};
        code = code << 6 | (byte(at + i) & 0x3fU);
    }
    return { code, length };
}

/// May stand on one line as it is (YAML 1.1, 5.1, without line breaks and tabs).
bool isPlain(std::uint32_t code)
{
    if (code < 0xa0)
        return code >= 0x20 && code <= 0x7e;
    return code != 0x2028 && code != 0x2029 && code != 0xfeff && (code < 0xd800 || code >= 0xe000) && code != 0xfffe
        && code != 0xffff;
}

std::string escaped(std::uint32_t code)
{
    constexpr std::string_view digits = "0123456789abcdef";
    const int count = code < 0x100 ? 2 : 4;
    std::string text = count == 2 ? "\\x" : "\\u";
    for (int i = count - 1; i >= 0; --i)
        text += digits[code >> (4 * i) & 0xfU];
    return text;
}

} // namespace

std::string quoteYaml(std::string_view text)
{
    bool plain = true;
    for (std::size_t at = 0; at < text.size();) {
        const Character character = characterAt(text, at);
        plain = plain && isPlain(character.code);
        at += character.length;
    }
    std::string quoted;
    for (std::size_t at = 0; at < text.size();) {
        const Character character = characterAt(text, at);
        const std::string_view bytes = text.substr(at, character.length);
        at += character.length;
        if (plain)
            quoted += bytes == "'" ? std::string_view("''") : bytes;
        else if (bytes == "\"" || bytes == "\\")
            quoted += "\\" + std::string(bytes);
        else if (!isPlain(character.code) && (character.code != 0 || bytes == std::string_view("\0", 1)))
            quoted += escaped(character.code);
        else
            quoted += bytes;
    }
    return plain ? "'" + quoted + "'" : "\"" + quoted + "\"";
}

} // namespace shardscope

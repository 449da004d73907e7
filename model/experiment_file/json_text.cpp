// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment_file/json_text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/codes.h"
#include "base/text.h"

namespace shardscope {

namespace {

class Parser {
public:
    Parser(std::string_view text, const JsonLimits& limits)
        : m_text(text)
        , m_limits(limits)
    {
    }

    JsonText parse()
    {
        if (m_text.size() > m_limits.bytes) {
            m_result.errors.push_back(
                { Code::TooLarge, { { "what", "file" }, { "bytes", m_text.size() }, { "limit", m_limits.bytes } },
                    { {}, 1, 1, {}, {} } });
            return std::move(m_result);
        }
        if (m_text.substr(0, 3) == "\xEF\xBB\xBF")
            m_offset = 3;
        bool ok = skipSpace() && value(m_result.root, 0) && skipSpace();
        if (ok && !atEnd())
            ok = unexpected("the end of the file", "rest");
        m_result.complete = ok;
        return std::move(m_result);
    }

private:
    [[nodiscard]] bool atEnd() const { return m_offset >= m_text.size(); }
    /// The next byte; 0 at the end (where a zero byte stands it is no token either).
    [[nodiscard]] char peek() const { return atEnd() ? '\0' : m_text[m_offset]; }

    void advance()
    {
        const auto byte = static_cast<unsigned char>(m_text[m_offset++]);
        if (byte == '\n') {
            ++m_at.line;
            m_at.column = 1;
        } else if ((byte & 0xC0) != 0x80) { // not for the bytes that continue a character
            ++m_at.column;
        }
    }
    void advance(std::size_t count)
    {
        while (count-- > 0)
            advance();
    }

    void report(Code code, std::vector<Arg> args, TextPosition at)
    {
        m_result.errors.push_back({ code, std::move(args), { {}, at.line, at.column, pointer(), {} } });
    }
    [[nodiscard]] std::string pointer() const
    {
        std::string text;
        for (const std::string& part : m_path)
            text += part;
        return text;
    }

    bool fail(std::string expected, std::string found) { return failAt(m_at, std::move(expected), std::move(found)); }
    /// `kind` tells apart what is to be done: "root" (no value at all), "rest" (more than one), "end" (cut short).
    bool failAt(TextPosition at, std::string expected, std::string found, std::string_view kind = {})
    {
        std::vector<Arg> args{ { "expected", std::move(expected) }, { "found", std::move(found) } };
        if (kind.empty() && atEnd())
            kind = "end";
        if (!kind.empty())
            args.emplace_back("kind", kind);
        report(Code::Syntax, std::move(args), at);
        return false;
    }
    bool unexpected(std::string expected, std::string_view kind = {})
    {
        return failAt(m_at, std::move(expected), found(), kind);
    }

    /// What stands at the present place, short enough for a message.
    [[nodiscard]] std::string found() const
    {
        if (atEnd())
            return "the end of the file";
        std::size_t length = 0;
        const auto wordLike = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'
                || c == '+' || c == '-';
        };
        while (m_offset + length < m_text.size() && length < 20 && wordLike(m_text[m_offset + length]))
            ++length;
        if (length == 0) {
            const auto byte = static_cast<unsigned char>(peek());
            if (byte < 0x20 || byte == 0x7f)
                return "a control character";
            length = 1;
            while (m_offset + length < m_text.size()
                && (static_cast<unsigned char>(m_text[m_offset + length]) & 0xC0) == 0x80 && length < 4)
                ++length;
            if (byte >= 0x80 && (length == 1 || byte < 0xC2 || byte > 0xF4))
                return "a byte that is not UTF-8";
        }
        return std::string(m_text.substr(m_offset, length));
    }

    /// Counts what the file has and a saved one will not.
    void lost(TextPosition at)
    {
        if (m_result.lost++ == 0)
            m_result.firstLost = at;
    }

    bool skipSpace()
    {
        while (!atEnd()) {
            const char c = peek();
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
                advance();
                continue;
            }
            if (c != '/')
                return true;
            const std::string_view rest = m_text.substr(m_offset);
            if (!rest.starts_with("//") && !rest.starts_with("/*"))
                return unexpected("a value or a comment");
            const TextPosition start = m_at;
            lost(start);
            const bool line = rest[1] == '/';
            const std::size_t end = line ? rest.find('\n') : rest.find("*/", 2);
            if (end == std::string_view::npos && !line)
                return failAt(start, "*/ at the end of the comment", "the end of the file");
            advance(end == std::string_view::npos ? rest.size() : end + (line ? 1 : 2));
        }
        return true;
    }

    bool value(JsonNode& node, std::size_t depth)
    {
        node.at = m_at;
        if (++m_values > m_limits.values) {
            report(Code::TooLarge, { { "what", "values" }, { "count", m_values }, { "limit", m_limits.values } }, m_at);
            return false;
        }
        const char c = peek();
        if (c == '{' || c == '[') {
            if (depth >= m_limits.depth) {
                report(Code::TooLarge,
                    { { "what", "nested lists and objects" }, { "count", depth + 1 }, { "limit", m_limits.depth } },
                    m_at);
                return false;
            }
            return c == '{' ? object(node, depth) : array(node, depth);
        }
        if (c == '"') {
            node.type = JsonNode::Type::String;
            return string(node.text);
        }
        if (c == '-' || (c >= '0' && c <= '9'))
            return number(node);
        for (const std::string_view word : { "null", "true", "false" }) {
            if (found() == word) {
                node.type = word == "null" ? JsonNode::Type::Null : JsonNode::Type::Boolean;
                node.boolean = word == "true";
                advance(word.size());
                return true;
            }
        }
        return unexpected("a value", depth == 0 ? "root" : "");
    }

    bool object(JsonNode& node, std::size_t depth)
    {
        node.type = JsonNode::Type::Object;
        advance();
        std::unordered_set<std::string> keys;
        std::optional<TextPosition> comma;
        while (true) {
            if (!skipSpace())
                return false;
            if (peek() == '}') {
                if (comma)
                    lost(*comma);
                break;
            }
            if (peek() != '"')
                return unexpected(node.children.empty() ? "a key in quotes or }" : "a key in quotes");
            JsonNode child;
            child.keyAt = m_at;
            if (!string(child.key))
                return false;
            m_path.push_back(pointerTo({}, child.key));
            if (!keys.insert(child.key).second)
                report(Code::DuplicateKey, { { "key", child.key } }, child.keyAt);
            if (!skipSpace())
                return false;
            if (peek() != ':')
                return unexpected("a colon after the key");
            advance();
            if (!skipSpace() || !value(child, depth + 1) || !skipSpace())
                return false;
            m_path.pop_back();
            node.children.push_back(std::move(child));
            comma.reset();
            if (peek() == ',') {
                comma = m_at;
                advance();
            } else if (peek() != '}') {
                return unexpected(", or }");
            }
        }
        advance();
        return true;
    }

    bool array(JsonNode& node, std::size_t depth)
    {
        node.type = JsonNode::Type::Array;
        advance();
        std::optional<TextPosition> comma;
        while (true) {
            if (!skipSpace())
                return false;
            if (peek() == ']') {
                if (comma)
                    lost(*comma);
                break;
            }
            m_path.push_back(pointerTo({}, node.children.size()));
            JsonNode& child = node.children.emplace_back();
            if (!value(child, depth + 1) || !skipSpace())
                return false;
            m_path.pop_back();
            comma.reset();
            if (peek() == ',') {
                comma = m_at;
                advance();
            } else if (peek() != ']') {
                return unexpected(", or ]");
            }
        }
        advance();
        return true;
    }

    bool number(JsonNode& node)
    {
        const TextPosition start = m_at;
        const std::size_t begin = m_offset;
        const auto digits = [this] {
            const std::size_t before = m_offset;
            while (peek() >= '0' && peek() <= '9')
                advance();
            return m_offset > before;
        };
        const auto malformed = [&] {
            const std::string word{ m_text.substr(begin, std::min<std::size_t>(m_offset - begin, 20)) };
            return failAt(start, "a number", atEnd() ? word + " and the end of the file" : word + peek());
        };
        if (peek() == '-')
            advance();
        if (peek() == '0') {
            advance();
            if (peek() >= '0' && peek() <= '9') // 007 is no number in JSON
                return malformed();
        } else if (!digits()) {
            return malformed();
        }
        node.type = JsonNode::Type::Integer;
        if (peek() == '.') {
            node.type = JsonNode::Type::Real;
            advance();
            if (!digits())
                return malformed();
        }
        if (peek() == 'e' || peek() == 'E') {
            node.type = JsonNode::Type::Real;
            advance();
            if (peek() == '+' || peek() == '-')
                advance();
            if (!digits())
                return malformed();
        }
        node.text = m_text.substr(begin, m_offset - begin);
        checkRange(node, start);
        return true;
    }

    void checkRange(const JsonNode& node, TextPosition start)
    {
        const char* first = node.text.data();
        const char* last = first + node.text.size();
        std::errc error{};
        std::int64_t integer = 0;
        std::uint64_t natural = 0;
        double real = 0;
        if (node.type == JsonNode::Type::Real) {
            error = std::from_chars(first, last, real).ec;
            // from_chars reports what is too small as well; that reads as 0 everywhere, so it is refused just the same.
        } else {
            error = std::from_chars(first, last, integer).ec;
            if (error != std::errc{})
                error = std::from_chars(first, last, natural).ec;
        }
        if (error == std::errc{})
            return;
        const bool full = node.type == JsonNode::Type::Integer;
        report(Code::OutOfRange,
            { { "key", lastKey() }, { "value", node.text.substr(0, 40) },
                { "min", full ? std::to_string(std::numeric_limits<std::int64_t>::min()) : "-1.8e308" },
                { "max", full ? std::to_string(std::numeric_limits<std::int64_t>::max()) : "1.8e308" } },
            start);
    }
    /// The innermost key that leads here: a list's elements count under the key of the list.
    [[nodiscard]] std::string lastKey() const
    {
        for (auto part = m_path.rbegin(); part != m_path.rend(); ++part)
            if (part->find_first_not_of("0123456789", 1) != std::string::npos)
                return part->substr(1);
        return {};
    }

    bool string(std::string& out)
    {
        const TextPosition start = m_at;
        advance();
        while (true) {
            if (atEnd() || peek() == '\n')
                return failAt(
                    start, "\" at the end of the string", atEnd() ? "the end of the file" : "the end of the line");
            const char c = peek();
            if (c == '"')
                break;
            if (static_cast<unsigned char>(c) < 0x20)
                return fail("an escape such as \\t", "a control character");
            if (c == '\\') {
                if (!escape(out))
                    return false;
                continue;
            }
            if (static_cast<unsigned char>(c) < 0x80) {
                out += c;
                advance();
            } else if (!multibyte(out)) {
                return false;
            }
        }
        advance();
        return true;
    }

    /// One character of two to four bytes, checked as UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
    bool multibyte(std::string& out)
    {
        const auto byte = [this](std::size_t i) {
            return m_offset + i < m_text.size() ? static_cast<unsigned char>(m_text[m_offset + i]) : 0U;
        };
        const unsigned lead = byte(0);
        const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
        bool valid = lead >= 0xC2 && lead <= 0xF4;
        for (std::size_t i = 1; i < length; ++i)
            valid = valid && (byte(i) & 0xC0U) == 0x80U;
        valid = valid && !(lead == 0xE0 && byte(1) < 0xA0) && !(lead == 0xED && byte(1) > 0x9F)
            && !(lead == 0xF0 && byte(1) < 0x90) && !(lead == 0xF4 && byte(1) > 0x8F);
        if (!valid)
            return fail("text in UTF-8", "a byte that is not UTF-8");
        out += m_text.substr(m_offset, length);
        advance(length);
        return true;
    }

    bool escape(std::string& out)
    {
        const TextPosition start = m_at;
        advance();
        const char c = peek();
        static constexpr std::string_view letters = "\"\\/bfnrt";
        static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (const std::size_t known = letters.find(c); !atEnd() && known != std::string_view::npos) {
            out += meanings[known];
            advance();
            return true;
        }
        if (c != 'u')
            return failAt(start, "a known escape", atEnd() ? "the end of the file" : "\\" + found().substr(0, 1));
        advance();
        std::optional<std::uint32_t> code = hex4();
        if (code && *code >= 0xD800 && *code < 0xDC00 && m_text.substr(m_offset, 2) == "\\u") {
            advance(2);
            const std::optional<std::uint32_t> low = hex4();
            code = low && *low >= 0xDC00 && *low < 0xE000
                ? std::optional(0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00))
                : std::nullopt;
        } else if (code && *code >= 0xD800 && *code < 0xE000) {
            code.reset();
        }
        if (!code)
            return failAt(start, "\\u and four hexadecimal digits", atEnd() ? "the end of the file" : "another escape");
        appendUtf8(out, *code);
        return true;
    }

    std::optional<std::uint32_t> hex4()
    {
        std::uint32_t code = 0;
        const std::string_view digits = m_text.substr(std::min(m_offset, m_text.size()), 4);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() < 4 || error != std::errc{} || end != digits.data() + 4)
            return std::nullopt;
        advance(4);
        return code;
    }

    static void appendUtf8(std::string& out, std::uint32_t code)
    {
        const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
        if (code < 0x80) {
            put(code);
        } else if (code < 0x800) {
            put(0xC0 | (code >> 6));
            put(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            put(0xE0 | (code >> 12));
            put(0x80 | ((code >> 6) & 0x3F));
            put(0x80 | (code & 0x3F));
        } else {
            put(0xF0 | (code >> 18));
            put(0x80 | ((code >> 12) & 0x3F));
            put(0x80 | ((code >> 6) & 0x3F));
            put(0x80 | (code & 0x3F));
        }
    }

    std::string_view m_text;
    JsonLimits m_limits;
    std::size_t m_offset = 0;
    std::size_t m_values = 0;
    TextPosition m_at;
    std::vector<std::string> m_path; ///< pointer parts of the value being read, "/key" each
    JsonText m_result;
};

} // namespace

const JsonNode* JsonNode::find(std::string_view name) const
{
    const auto found =
        std::find_if(children.begin(), children.end(), [&](const JsonNode& child) { return child.key == name; });
    return type == Type::Object && found != children.end() ? &*found : nullptr;
}

JsonText parseJson(std::string_view text, const JsonLimits& limits)
{
    return Parser(text, limits).parse();
}

std::string quoteJson(std::string_view text)
{
    static constexpr std::string_view letters = "\"\\bfnrt";
    static constexpr std::string_view meanings = "\"\\\b\f\n\r\t";
    std::string out = "\"";
    for (const char c : text) {
        if (const std::size_t known = meanings.find(c); known != std::string_view::npos) {
            out += '\\';
            out += letters[known];
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            static constexpr std::string_view hex = "0123456789abcdef";
            out += "\\u00";
            out += hex[static_cast<unsigned char>(c) >> 4];
            out += hex[static_cast<unsigned char>(c) & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string printInline(const JsonNode& node)
{
    using Type = JsonNode::Type;
    const bool object = node.type == Type::Object;
    switch (node.type) {
    case Type::Null:
        return "null";
    case Type::Boolean:
        return node.boolean ? "true" : "false";
    case Type::Integer:
    case Type::Real:
        return node.text;
    case Type::String:
        return quoteJson(node.text);
    case Type::Array:
    case Type::Object:
        break;
    }
    if (node.children.empty())
        return object ? "{}" : "[]";
    std::string out = object ? "{ " : "[";
    for (const JsonNode& child : node.children) {
        if (&child != &node.children.front())
            out += ", ";
        if (object)
            out += quoteJson(child.key) + ": ";
        out += printInline(child);
    }
    return out + (object ? " }" : "]");
}

const JsonNode* findNode(const JsonNode& root, std::string_view pointer)
{
    const JsonNode* node = &root;
    while (node && !pointer.empty()) {
        const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
        const std::string_view part = pointer.substr(0, end);
        pointer.remove_prefix(end);
        const JsonNode* next = nullptr;
        for (std::size_t i = 0; i < node->children.size() && !next; ++i) {
            const JsonNode& child = node->children[i];
            if (node->type == JsonNode::Type::Object ? pointerTo({}, child.key) == part : pointerTo({}, i) == part)
                next = &child;
        }
        node = next;
    }
    return node;
}

std::string pointerTo(std::string_view parent, std::string_view key)
{
    return std::string(parent) + '/' + pointerPart(key);
}

std::string pointerTo(std::string_view parent, std::size_t index)
{
    return std::string(parent) + '/' + std::to_string(index);
}

} // namespace shardscope

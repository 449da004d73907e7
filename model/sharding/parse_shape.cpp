// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in text.h.
#include <charconv>

#include "base/codes.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

constexpr std::size_t maxDimensions = 16;
constexpr std::int64_t maximumSize = std::int64_t{ 1 } << 60;

/// Whole numbers between commas or crosses (8,16 and 8x16), in round or square brackets or in none. A comma may end
/// them.
class ShapeReader {
public:
    explicit ShapeReader(std::string_view text)
        : m_text(text)
    {
    }

    Result<Shape> read()
    {
        Shape shape;
        const char close = accept('(') ? ')' : accept('[') ? ']' : '\0';
        while (!at(close)) {
            if (shape.size() == maxDimensions)
                return fail(Code::TooLarge, { { "what", "dimensions" }, { "limit", maxDimensions } }, where());
            SHARDSCOPE_TRY(size, number());
            shape.push_back(*size);
            if (accept(','))
                continue;
            if (at(close))
                break;
            if (!accept('x') && !accept('X'))
                return expected(close == '\0' ? "',', 'x' or end of text" : std::string("',', 'x' or '") + close + "'");
            if (at(close)) // a comma may stand last, a cross may not
                return expected("a whole number");
        }
        if (close != '\0')
            accept(close);
        if (!at('\0'))
            return expected("end of text");
        return shape;
    }

private:
    static bool isDigit(char c) { return c >= '0' && c <= '9'; }
    static bool isWordPart(char c) { return isDigit(c) || c == '.' || c == '_' || c == 'e' || c == 'E'; }

    void skipBlanks()
    {
        while (m_at < m_text.size() && std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
            step();
    }
    void step()
    {
        const char c = m_text[m_at++];
        m_line += c == '\n' ? 1 : 0;
        // Columns count characters, not bytes.
        m_column = c == '\n' ? 1 : m_column + ((static_cast<unsigned char>(c) & 0xc0U) == 0x80U ? 0 : 1);
    }
    /// 0 stands for the end of the text.
    bool at(char c)
    {
        skipBlanks();
        return c == '\0' ? m_at == m_text.size() : m_at < m_text.size() && m_text[m_at] == c;
    }
    bool accept(char c)
    {
        if (!at(c))
            return false;
        step();
        return true;
    }
    [[nodiscard]] Where where() const
    {
        Where where;
        where.line = m_line;
        where.column = m_column;
        return where;
    }
    tl::unexpected<Error> expected(std::string what)
    {
        std::size_t end = m_at + 1;
        const auto goesOn = [](char c) { return isWordPart(c) || (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
        while (end < m_text.size() && end < m_at + 24 && goesOn(m_text[end]))
            ++end;
        std::string found = m_at == m_text.size() ? "end of text" : std::string(m_text.substr(m_at, end - m_at));
        return fail(Code::Syntax, { { "expected", std::move(what) }, { "found", std::move(found) } }, where());
    }
    Result<std::int64_t> number()
    {
        skipBlanks();
        const Where place = where();
        std::size_t end = m_at;
        if (end < m_text.size() && (m_text[end] == '-' || m_text[end] == '+'))
            ++end;
        while (end < m_text.size() && isWordPart(m_text[end]))
            ++end;
        const std::string_view word = m_text.substr(m_at, end - m_at);
        std::int64_t value = 0;
        const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
        const char* const last = word.data() + word.size();
        const auto [stopped, error] = std::from_chars(begin, last, value);
        if (begin == last || stopped != last)
            return expected("a whole number");
        if (error != std::errc() || value < 0 || value > maximumSize)
            return fail(Code::OutOfRange,
                { { "key", "dimension" }, { "value", std::string(word) }, { "min", 0 }, { "max", maximumSize } },
                place);
        while (m_at < end)
            step();
        return value;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    int m_column = 1;
};

} // namespace

Result<Shape> parseShape(std::string_view text)
{
    return ShapeReader(text).read();
}

} // namespace shardscope

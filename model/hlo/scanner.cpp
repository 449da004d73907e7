// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/scanner.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/codes.h"

namespace shardscope::hlo {

namespace {

constexpr std::array<bool, 256> wordCharacters = [] {
    std::array<bool, 256> is{};
    for (std::size_t c = 0; c < is.size(); ++c)
        is[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'
            || c == '.';
    return is;
}();

/// What ends or opens something inside the value of an attribute.
constexpr std::array<bool, 256> marks = [] {
    std::array<bool, 256> is{};
    for (const char c : { '(', ')', '[', ']', '{', '}', '"', ',', '\n', '/' })
        is[static_cast<unsigned char>(c)] = true;
    return is;
}();

bool isWordPart(char c)
{
    return wordCharacters[static_cast<unsigned char>(c)];
}

} // namespace

void Scanner::skipMore()
{
    while (m_position < m_end) {
        const char c = m_text[m_position];
        const char next = m_position + 1 < m_end ? m_text[m_position + 1] : '\0';
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            ++m_position;
        } else if (c == '/' && next == '*') {
            const std::size_t close = m_text.find("*/", m_position + 2);
            m_position = close >= m_end ? m_end : std::min(close + 2, m_end);
        } else if (c == '/' && next == '/') {
            const std::size_t line = m_text.find('\n', m_position);
            m_position = line >= m_end ? m_end : line;
        } else {
            return;
        }
    }
}

bool Scanner::accept(std::string_view punctuation)
{
    skipBlanks();
    if (!m_text.substr(m_position, m_end - m_position).starts_with(punctuation))
        return false;
    m_position += punctuation.size();
    return true;
}

bool Scanner::require(char c)
{
    return accept(c) || expected(std::string("“") + c + "”");
}

bool Scanner::require(std::string_view punctuation)
{
    return accept(punctuation) || expected("“" + std::string(punctuation) + "”");
}

TextSpan Scanner::word()
{
    skipBlanks();
    const std::size_t begin = m_position;
    while (m_position < m_end && isWordPart(m_text[m_position]))
        ++m_position;
    return since(begin);
}

TextSpan Scanner::name()
{
    if (peek() == '%')
        ++m_position;
    const std::size_t begin = m_position;
    while (m_position < m_end && isWordPart(m_text[m_position]))
        ++m_position;
    return since(begin);
}

std::string_view Scanner::peekWord()
{
    const std::size_t before = m_position;
    const TextSpan found = word();
    m_position = before;
    return view(found);
}

/// At an opening quote.
bool Scanner::skipString()
{
    const std::size_t begin = m_position++;
    while (m_position < m_end) {
        const char c = m_text[m_position];
        m_position += c == '\\' ? 2U : 1U;
        if (c == '"')
            return true;
    }
    m_position = m_end;
    return expectedAt(begin, "a string that is closed");
}

bool Scanner::quoted(TextSpan& inside)
{
    if (peek() != '"')
        return expected("a string");
    const std::size_t begin = m_position;
    if (!skipString())
        return false;
    inside = { static_cast<std::uint32_t>(begin + 1), static_cast<std::uint32_t>(m_position - begin - 2) };
    return true;
}

bool Scanner::integer(std::int64_t& value)
{
    skipBlanks();
    const char* const begin = m_text.data() + m_position;
    const auto [end, error] = std::from_chars(begin, m_text.data() + m_end, value);
    if (error == std::errc::invalid_argument)
        return expected("a whole number");
    if (error != std::errc())
        return problem(Code::OutOfRange,
            { { "key", "number" }, { "value", std::string(begin, std::min(end, begin + 40)) },
                { "max", std::numeric_limits<std::int64_t>::max() } },
            m_position);
    m_position += static_cast<std::size_t>(end - begin);
    return true;
}

bool Scanner::integers(char open, char close, std::vector<std::int64_t>& values)
{
    if (!require(open))
        return false;
    if (accept(close))
        return true;
    do {
        std::int64_t value = 0;
        if (!integer(value))
            return false;
        values.push_back(value);
    } while (accept(','));
    return require(close);
}

bool Scanner::skipBrackets()
{
    const std::size_t begin = m_position;
    std::array<char, maximumDepth> closing{};
    std::array<std::size_t, maximumDepth> opened{};
    std::size_t depth = 0;
    do {
        while (m_position < m_end && !marks[static_cast<unsigned char>(m_text[m_position])])
            ++m_position;
        if (m_position >= m_end)
            return expectedAt(m_end, mlir::endOfBracket(m_text, depth > 0 ? opened[depth - 1] : begin));
        const char c = m_text[m_position];
        switch (c) {
        case '"':
            if (!skipString())
                return false;
            continue;
        case '/':
            if (const std::size_t before = m_position; skipMore(), m_position != before)
                continue;
            break;
        case '(':
        case '[':
        case '{':
            if (depth == maximumDepth)
                return problem(Code::TooLarge, { { "what", "nesting" }, { "limit", maximumDepth } }, m_position);
            opened[depth] = m_position;
            closing[depth++] = c == '(' ? ')' : c == '[' ? ']' : '}';
            break;
        case ')':
        case ']':
        case '}':
            if (closing[depth - 1] != c)
                return expectedAt(m_position, mlir::endOfBracket(m_text, opened[depth - 1]));
            --depth;
            break;
        default:
            break;
        }
        ++m_position;
    } while (depth > 0);
    return true;
}

bool Scanner::skipValue()
{
    const std::size_t begin = m_position;
    while (true) {
        while (m_position < m_end && !marks[static_cast<unsigned char>(m_text[m_position])])
            ++m_position;
        const char c = raw();
        if (c == '(' || c == '[' || c == '{') {
            if (!skipBrackets())
                return false;
        } else if (c == '"') {
            if (!skipString())
                return false;
        } else if (c == '/') {
            // Over a comment alone: what follows it on the next line is no part of the value.
            const char next = m_position + 1 < m_end ? m_text[m_position + 1] : '\0';
            if (next == '/')
                break;
            const std::size_t close = next == '*' ? m_text.find("*/", m_position + 2) : m_position - 1;
            m_position = close >= m_end ? m_end : std::min(close + 2, m_end);
        } else {
            break;
        }
    }
    std::size_t after = m_position;
    while (after > begin && (m_text[after - 1] == ' ' || m_text[after - 1] == '\r' || m_text[after - 1] == '\t'))
        --after;
    if (after == begin)
        return expected("a value");
    m_position = after;
    return true;
}

bool Scanner::expected(std::string what)
{
    skipBlanks();
    return expectedAt(m_position, std::move(what));
}

bool Scanner::expectedAt(std::size_t position, std::string what)
{
    return mlir::Scanner(m_text, position, m_end, *m_firstError).expectedAt(position, std::move(what));
}

bool Scanner::problem(Code code, std::vector<Arg> args, std::size_t position)
{
    return mlir::Scanner(m_text, position, m_end, *m_firstError).problem(code, std::move(args), position);
}

} // namespace shardscope::hlo

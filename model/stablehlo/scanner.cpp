// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/scanner.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/codes.h"
#include "base/text.h"

namespace shardscope::mlir {

Scanner::Scanner(std::string_view text, std::size_t begin, std::size_t end, FirstError& firstError)
    : m_text(text)
    , m_position(begin)
    , m_end(std::min(end, text.size()))
    , m_firstError(&firstError)
{
}

Scanner Scanner::within(std::string_view view) const
{
    const auto begin = static_cast<std::size_t>(view.data() - m_text.data());
    return { m_text, begin, begin + view.size(), *m_firstError };
}

void Scanner::skipMore()
{
    while (m_position < m_end) {
        const char c = m_text[m_position];
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            ++m_position;
        } else if (c == '/' && rawAt(1) == '/') {
            const void* line = std::memchr(m_text.data() + m_position, '\n', m_end - m_position);
            m_position = line ? static_cast<std::size_t>(static_cast<const char*>(line) - m_text.data()) : m_end;
        } else {
            return;
        }
    }
}

bool Scanner::at(std::string_view punctuation)
{
    skipBlanks();
    return m_text.substr(m_position, std::min(punctuation.size(), m_end - m_position)) == punctuation;
}

bool Scanner::accept(std::string_view punctuation)
{
    if (!at(punctuation))
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

std::string_view Scanner::peekWord()
{
    skipBlanks();
    const std::size_t begin = m_position;
    std::size_t end = begin;
    if (end < m_end && (isLetter(m_text[end]) || m_text[end] == '_'))
        while (end < m_end && isWordCharacter(m_text[end]))
            ++end;
    return m_text.substr(begin, end - begin);
}

std::string_view Scanner::word()
{
    const std::string_view found = peekWord();
    m_position += found.size();
    return found;
}

bool Scanner::acceptWord(std::string_view wanted)
{
    if (peekWord() != wanted)
        return false;
    m_position += wanted.size();
    return true;
}

std::string_view Scanner::suffix()
{
    const std::size_t begin = m_position;
    std::size_t end = begin;
    if (end < m_end && isDigit(m_text[end])) {
        while (end < m_end && isDigit(m_text[end]))
            ++end;
    } else {
        while (end < m_end && (isWordCharacter(m_text[end]) || m_text[end] == '-'))
            ++end;
    }
    m_position = end;
    return m_text.substr(begin, end - begin);
}

std::string_view Scanner::quoted()
{
    if (!at('"'))
        return {};
    const std::size_t begin = m_position;
    std::size_t end = begin + 1;
    while (end < m_end && m_text[end] != '"' && m_text[end] != '\n')
        end += m_text[end] == '\\' && end + 1 < m_end ? 2U : 1U;
    if (end >= m_end || m_text[end] != '"')
        return {};
    m_position = end + 1;
    return since(begin);
}

bool Scanner::string(std::string& value)
{
    if (!at('"'))
        return expected("a string");
    const std::string_view with = quoted();
    if (with.empty())
        return expected("a string that ends on its line");
    value = unescaped(with.substr(1, with.size() - 2));
    return true;
}

bool Scanner::symbol(std::string& name)
{
    if (!accept('@'))
        return expected("a name that begins with “@”");
    if (raw() == '"') {
        if (!string(name))
            return false;
    } else {
        const std::string_view plain = suffix();
        if (plain.empty())
            return expected("a name after “@”");
        name = plain;
    }
    while (raw() == ':' && rawAt(1) == ':' && rawAt(2) == '@') {
        m_position += 3;
        name += "::@" + std::string(suffix());
    }
    return true;
}

bool Scanner::digits(std::int64_t& value)
{
    if (!isDigit(raw()))
        return false;
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::uint64_t number = 0;
    if (raw() == '0' && rawAt(1) == 'x' && hexDigit(rawAt(2)) >= 0) {
        m_position += 2;
        for (int digit = hexDigit(raw()); digit >= 0; digit = hexDigit(raw())) {
            number = number > (largest >> 4) ? largest : number * 16 + static_cast<std::uint64_t>(digit);
            ++m_position;
        }
    } else {
        while (m_position < m_end && isDigit(m_text[m_position])) {
            const auto digit = static_cast<std::uint64_t>(m_text[m_position] - '0');
            number = number > (largest - digit) / 10 ? largest : number * 10 + digit;
            ++m_position;
        }
    }
    value = static_cast<std::int64_t>(std::min(number, largest));
    return true;
}

bool Scanner::integer(std::int64_t& value)
{
    skipBlanks();
    const std::size_t begin = m_position;
    const bool negative = raw() == '-';
    if (negative)
        ++m_position;
    if (!digits(value)) {
        m_position = begin;
        return expected("a whole number");
    }
    if (negative)
        value = -value;
    return true;
}

/// Steps over a character or a string; `open` are the brackets that are open.
bool Scanner::stepOver(OpenBrackets& open)
{
    const char c = m_text[m_position];
    if (c == '"')
        return !quoted().empty() || expected("a string that ends on its line");
    ++m_position;
    switch (c) {
    case '-':
        if (raw() == '>') // an arrow
            ++m_position;
        break;
    case '(':
    case '[':
    case '{':
    case '<':
        open.push_back({ c, m_position - 1 });
        break;
    case ')':
    case ']':
    case '}': {
        while (!open.empty() && open.back().sign == '<')
            open.pop_back(); // a "less than"
        const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
        if (open.empty() || open.back().sign != wanted)
            return expectedAt(
                m_position - 1, open.empty() ? "brackets that fit together" : endOfBracket(m_text, open.back().at));
        open.pop_back();
        break;
    }
    case '>':
        if (!open.empty() && open.back().sign == '<')
            open.pop_back();
        break;
    default:
        break;
    }
    return true;
}

bool Scanner::skipValue(bool pretty)
{
    skipBlanks();
    const std::size_t begin = m_position;
    std::size_t after = begin;
    OpenBrackets open;
    while (!atEnd()) {
        const char c = m_text[m_position];
        if (open.empty()
            && (c == ',' || c == ')' || c == ']' || c == '}' || c == '>'
                || (pretty && (c == ':' || (c == '{' && m_position != begin)))))
            break;
        if (!stepOver(open))
            return false;
        after = m_position;
    }
    if (after == begin)
        return expected("a value");
    if (!open.empty())
        return expected(endOfBracket(m_text, open.back().at));
    m_position = after;
    return true;
}

bool Scanner::skipBrackets()
{
    const std::size_t begin = m_position;
    OpenBrackets open;
    do {
        if (atEnd())
            return expected(endOfBracket(m_text, open.empty() ? begin : open.back().at));
        if (!stepOver(open))
            return false;
    } while (!open.empty());
    return true;
}

bool Scanner::skipItem()
{
    const char c = peek();
    if (c == '"') {
        if (quoted().empty())
            return expected("a string that ends on its line");
    } else if (c == '@' || c == '#' || c == '!' || c == '%') {
        ++m_position;
        if (raw() == '"' ? quoted().empty() : suffix().empty())
            return expected("a name");
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
        return skipBrackets();
    } else if (isWordCharacter(c) || c == '-' || c == '+') {
        do
            ++m_position;
        while (m_position < m_end
            && (isWordCharacter(raw()) || ((raw() == '-' || raw() == '+') && m_text[m_position - 1] == 'e')));
    } else {
        return expected("a value");
    }
    while (raw() == '<' || raw() == '(' || raw() == '[')
        if (!skipBrackets())
            return false;
    return true;
}

bool Scanner::expected(std::string what)
{
    skipBlanks();
    return expectedAt(m_position, std::move(what));
}

bool Scanner::expectedAt(std::size_t position, std::string what)
{
    return problem(Code::Syntax, { { "expected", std::move(what) }, { "found", found(position) } }, position);
}

bool Scanner::problem(Code code, std::vector<Arg> args, std::size_t position)
{
    if (!failed())
        m_firstError->error = Error{ code, std::move(args), placeOf(m_text, position) };
    return false;
}

Error orEndsEarly(Error error, std::string_view text)
{
    const auto number = [&](char c) { return std::count(text.begin(), text.end(), c); };
    if (error.code == Code::TooLarge || text.empty() || text.back() == '\n' || error.where.line != number('\n') + 1
        || number('{') <= number('}') || error.text("found") == "the end of the text")
        return error;
    return Error{ Code::Syntax, { { "expected", "“}”" }, { "found", "the end of the text" } },
        placeOf(text, text.size()) };
}

std::string Scanner::found(std::size_t position) const
{
    if (position >= m_end)
        return m_end == m_text.size() ? "the end of the text" : "the end of what is read here";
    constexpr std::size_t longest = 30;
    std::size_t end = position + 1;
    const char first = m_text[position];
    if (isWordCharacter(first) || first == '%' || first == '@' || first == '#' || first == '!' || first == '^') {
        while (end < m_end && isWordCharacter(m_text[end]))
            ++end;
    } else if (first == '"') {
        while (end < m_end && m_text[end] != '"' && m_text[end] != '\n')
            ++end;
        end = std::min(end + 1, m_end);
    } else {
        while (end < m_end && (static_cast<unsigned char>(m_text[end]) & 0xC0U) == 0x80U)
            ++end; // the rest of a character
    }
    const bool shortened = end - position > longest;
    if (shortened) {
        end = position + longest;
        while (end > position + 1 && (static_cast<unsigned char>(m_text[end]) & 0xC0U) == 0x80U)
            --end;
    }
    std::string shown;
    for (const char c : m_text.substr(position, end - position))
        shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    return "“" + shown + (shortened ? "…”" : "”");
}

Places::Place Places::of(std::size_t offset)
{
    offset = std::min(offset, m_text.size());
    if (offset < m_offset) {
        m_offset = 0;
        m_place = {};
    }
    while (true) {
        const void* next = std::memchr(m_text.data() + m_offset, '\n', offset - m_offset);
        if (!next)
            break;
        m_offset = static_cast<std::size_t>(static_cast<const char*>(next) - m_text.data()) + 1;
        m_place = { m_place.line + 1, 1 };
    }
    for (; m_offset < offset; ++m_offset)
        m_place.column += (static_cast<unsigned char>(m_text[m_offset]) & 0xC0U) != 0x80U;
    return m_place;
}

Where placeOf(std::string_view text, std::size_t offset)
{
    const Places::Place place = Places(text).of(offset);
    Where where;
    where.line = static_cast<int>(place.line);
    where.column = static_cast<int>(place.column);
    return where;
}

std::string endOfBracket(std::string_view text, std::size_t bracket)
{
    const Where where = placeOf(text, bracket);
    return "the end of the bracket “" + std::string(text.substr(bracket, 1)) + "” of line " + std::to_string(where.line)
        + ", column " + std::to_string(where.column);
}

std::string unescaped(std::string_view inside)
{
    std::string value;
    value.reserve(inside.size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
        if (inside[i] != '\\' || i + 1 >= inside.size()) {
            value += inside[i];
            continue;
        }
        const char next = inside[++i];
        const int high = hexDigit(next), low = i + 1 < inside.size() ? hexDigit(inside[i + 1]) : -1;
        if (high >= 0 && low >= 0) {
            value += static_cast<char>(high * 16 + low);
            ++i;
        } else {
            value += next == 'n' ? '\n' : next == 't' ? '\t' : next;
        }
    }
    return value;
}

} // namespace shardscope::mlir

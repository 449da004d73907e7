// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Tokens, which is declared in literal.h.
#include <charconv>
#include <limits>

#include "base/codes.h"
#include "base/text.h"
#include "sharding/literal.h"

namespace shardscope {

namespace {

bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isNamePart(char c)
{
    return isNameStart(c) || isDigit(c) || c == '.';
}

/// Whether a sign after this much of a number belongs to its exponent: after "1e" and "0.5E", not after "0x1e".
bool endsBeforeExponent(std::string_view number)
{
    if (number.size() < 2 || (number.back() != 'e' && number.back() != 'E'))
        return false;
    const std::size_t digits = number.find_first_not_of("+-");
    return number.find_first_not_of("0123456789._", digits) == number.size() - 1;
}

void appendUtf8(std::string& text, std::uint32_t code)
{
    const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((code >> shift) & 0x3fU)); };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xc0U | (code >> 6));
        tail(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xe0U | (code >> 12));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xf0U | (code >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

/// Long tokens are shortened in messages, not inside a character.
std::string shortened(std::string_view text)
{
    constexpr std::size_t limit = 24;
    if (text.size() <= limit)
        return std::string(text);
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
        --end;
    return std::string(text.substr(0, end)) + "...";
}

} // namespace

bool isUtf8(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t i) {
            return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
        };
        const std::uint32_t first = byte(at);
        const std::size_t length = first < 0x80 ? 1
            : first < 0xc2                      ? 0
            : first < 0xe0                      ? 2
            : first < 0xf0                      ? 3
            : first < 0xf5                      ? 4
                                                : 0;
        if (length == 0 || at + length > text.size())
            return false;
        std::uint32_t code = length == 1 ? first : first & (0x7fU >> length);
        for (std::size_t i = at + 1; i < at + length; ++i) {
            if ((byte(i) & 0xc0U) != 0x80U)
                return false;
            code = code << 6 | (byte(i) & 0x3fU);
        }
        const bool tooLong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
        if (tooLong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return false;
        at += length;
    }
    return true;
}

Where Literal::where() const
{
    Where where;
    where.line = line;
    where.column = column;
    return where;
}

std::string Literal::shown() const
{
    switch (kind) {
    case Kind::None:
        return "None";
    case Kind::Unconstrained:
        return "UNCONSTRAINED";
    case Kind::String:
        return "'" + shortened(text) + "'";
    case Kind::List:
        return "[";
    case Kind::Tuple:
        return "(";
    case Kind::Mapping:
        return "{";
    case Kind::Number:
    case Kind::Name:
        break;
    }
    return shortened(text);
}

tl::unexpected<Error> unexpectedLiteral(const Literal& literal, std::string expected)
{
    return fail(Code::Syntax, { { "expected", std::move(expected) }, { "found", literal.shown() } }, literal.where());
}

Tokens::Tokens(std::string_view text, Language language, std::size_t literals)
    : m_text(text)
    , m_language(language)
    , m_literals(literals)
    , m_limit(literals)
{
    if (m_text.starts_with("\xef\xbb\xbf")) // byte order mark
        m_text.remove_prefix(3);
    advance();
}

Tokens::Token Tokens::take()
{
    Token taken = std::move(m_token);
    advance();
    return taken;
}

bool Tokens::at(char punctuation) const
{
    return m_token.kind == Kind::Punctuation && m_token.text.front() == punctuation;
}

bool Tokens::accept(char punctuation)
{
    if (!at(punctuation))
        return false;
    advance();
    return true;
}

bool Tokens::acceptName(std::string_view name)
{
    if (m_token.kind != Kind::Name || m_token.text != name)
        return false;
    advance();
    return true;
}

Result<std::int64_t> Tokens::takeWholeNumber()
{
    if (m_token.kind != Kind::Number)
        return unexpected("a whole number");
    std::int64_t number = 0;
    const std::string& text = m_token.text;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, number);
    if (stopped != end)
        return unexpected("a whole number");
    if (error == std::errc::result_out_of_range)
        number =
            text.starts_with('-') ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    advance();
    return number;
}

Where Tokens::where() const
{
    Where where;
    where.line = m_token.line;
    where.column = m_token.column;
    return where;
}

tl::unexpected<Error> Tokens::unexpected(std::string expected) const
{
    std::string found = m_token.kind == Kind::End ? "end of text" : shortened(m_token.text);
    if (m_token.kind == Kind::String)
        found = "'" + found + "'";
    if (m_token.kind == Kind::Bad)
        expected = m_token.expected;
    return fail(Code::Syntax, { { "expected", std::move(expected) }, { "found", std::move(found) } }, where());
}

void Tokens::step()
{
    const char c = m_text[m_position++];
    if (c == '\n') {
        ++m_line;
        m_column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) { // not inside a UTF-8 sequence
        ++m_column;
    }
}

bool Tokens::atComment() const
{
    const std::string_view rest = m_text.substr(m_position);
    return rest.starts_with(m_language == Language::Python ? "#" : "//");
}

void Tokens::skipBlanks()
{
    while (!atEnd()) {
        const char c = current();
        if (atComment()) {
            while (!atEnd() && current() != '\n')
                step();
        } else if (m_language == Language::Python && c == '\\' && m_position + 1 < m_text.size()
            && (m_text[m_position + 1] == '\n')) {
            step(); // a continued line
            step();
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
            step();
        } else {
            return;
        }
    }
}

void Tokens::advance()
{
    skipBlanks();
    m_token = {};
    m_token.line = m_line;
    m_token.column = m_column;
    if (atEnd())
        return;
    readToken();
    if (m_language == Language::Python && m_token.kind != Kind::Bad && !isUtf8(m_token.text)) {
        m_token.kind = Kind::Bad;
        m_token.expected = "text in UTF-8";
        m_token.text = "other bytes";
    }
}

/// At the "-" of "1e-05", a number that begins at `begin`: Python and JSON print small ones so.
bool Tokens::atExponentSign(std::size_t begin) const
{
    return m_language == Language::Python && (current() == '-' || current() == '+') && m_position + 1 < m_text.size()
        && isDigit(m_text[m_position + 1]) && endsBeforeExponent(m_text.substr(begin, m_position - begin));
}

void Tokens::readToken()
{
    const char c = current();
    if (c == '"' || (c == '\'' && m_language == Language::Python)) {
        readString();
        return;
    }
    const std::size_t begin = m_position;
    if (isNameStart(c)) {
        m_token.kind = Kind::Name;
        while (!atEnd() && isNamePart(current()))
            step();
    } else if (isDigit(c) || ((c == '-' || c == '+') && begin + 1 < m_text.size() && isDigit(m_text[begin + 1]))) {
        m_token.kind = Kind::Number;
        step();
        while (!atEnd() && (isNamePart(current()) || atExponentSign(begin)))
            step();
    } else {
        m_token.kind = Kind::Punctuation;
        step();
    }
    m_token.text = m_text.substr(begin, m_position - begin);
}

void Tokens::readString()
{
    const std::size_t begin = m_position;
    const char quote = current();
    step();
    std::string value;
    while (!atEnd() && current() != quote && current() != '\n') {
        if (current() != '\\') {
            value += current();
            step();
            continue;
        }
        step();
        if (m_language == Language::Mlir ? !readMlirEscape(value) : !readEscape(value)) {
            m_token.kind = Kind::Bad;
            m_token.expected = "a known escape in the string";
            m_token.text = m_text.substr(begin, m_position - begin);
            return;
        }
    }
    if (atEnd() || current() == '\n') {
        m_token.kind = Kind::Bad;
        m_token.expected = std::string("closing ") + quote;
        m_token.text = m_text.substr(begin, m_position - begin);
        return;
    }
    step();
    m_token.kind = Kind::String;
    m_token.text = std::move(value);
}

/// The part of an escape after the backslash: a letter, or two hexadecimal digits.
bool Tokens::readMlirEscape(std::string& value)
{
    if (atEnd())
        return false;
    const char c = current();
    step();
    constexpr std::string_view letters = "\\\"nt";
    constexpr std::string_view meanings = "\\\"\n\t";
    if (const std::size_t letter = letters.find(c); letter != std::string_view::npos) {
        value += meanings[letter];
        return true;
    }
    const int high = hexDigit(c);
    const int low = atEnd() ? -1 : hexDigit(current());
    if (high < 0 || low < 0)
        return false;
    step();
    value += static_cast<char>(high * 16 + low);
    return true;
}

/// The part of an escape after the backslash.
bool Tokens::readEscape(std::string& value)
{
    if (atEnd())
        return false;
    const char c = current();
    step();
    constexpr std::string_view plain = "\\'\"/";
    constexpr std::string_view letters = "nrtbfav";
    constexpr std::string_view meanings = "\n\r\t\b\f\a\v";
    if (plain.find(c) != std::string_view::npos) {
        value += c;
        return true;
    }
    if (c == '\n') // the string goes on in the next line
        return true;
    if (const std::size_t letter = letters.find(c); letter != std::string_view::npos) {
        value += meanings[letter];
        return true;
    }
    int length = 0;
    if (c == 'x')
        length = 2;
    else if (c == 'u')
        length = 4;
    else if (c == 'U')
        length = 8;
    else
        return false;
    std::uint32_t code = 0;
    for (int i = 0; i < length; ++i) {
        const int digit = atEnd() ? -1 : hexDigit(current());
        if (digit < 0)
            return false;
        step();
        code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false;
    appendUtf8(value, code);
    return true;
}

} // namespace shardscope

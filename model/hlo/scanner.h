// SPDX-License-Identifier: GPL-3.0-or-later
// Steps through HLO text. Callers ask for what may stand at the present position; whatever is taken is a span of the
// text. The first error stays; whoever gets false returns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hlo/module.h"
#include "stablehlo/scanner.h"

namespace shardscope::hlo {

/// Brackets in brackets, at most.
inline constexpr std::size_t maximumDepth = 64;

class Scanner {
public:
    /// Over text[begin, end); places are those in the text.
    Scanner(std::string_view text, std::size_t begin, std::size_t end, mlir::FirstError& firstError)
        : m_text(text)
        , m_position(begin)
        , m_end(end)
        , m_firstError(&firstError)
    {
    }
    /// Over a span of the same text.
    [[nodiscard]] Scanner within(TextSpan span) const
    {
        return { m_text, span.begin, std::size_t{ span.begin } + span.length, *m_firstError };
    }

    [[nodiscard]] std::size_t position() const { return m_position; }
    void seek(std::size_t position) { m_position = position; }
    void step() { ++m_position; }
    /// The character at the present position as it is; NUL at the end.
    [[nodiscard]] char raw() const { return m_position < m_end ? m_text[m_position] : '\0'; }
    /// The next character that is neither blank nor comment; NUL at the end.
    [[nodiscard]] char peek()
    {
        skipBlanks();
        return raw();
    }
    [[nodiscard]] bool atEnd()
    {
        skipBlanks();
        return m_position >= m_end;
    }
    bool accept(char c)
    {
        if (peek() != c || m_position >= m_end)
            return false;
        ++m_position;
        return true;
    }
    bool accept(std::string_view punctuation);
    bool require(char c);
    bool require(std::string_view punctuation);
    [[nodiscard]] TextSpan since(std::size_t begin) const
    {
        return { static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(m_position - begin) };
    }
    [[nodiscard]] std::string_view view(TextSpan span) const { return m_text.substr(span.begin, span.length); }

    /// Letters, digits, "_", "-" and ".": names of instructions and computations, opcodes, keys. Empty if there is
    /// none.
    TextSpan word();
    /// The same, with a "%" before it or not, which is no part of it.
    TextSpan name();
    [[nodiscard]] std::string_view peekWord();
    /// A string, without its quotes.
    bool quoted(TextSpan& inside);
    /// A whole number, with a minus or not. Error: OutOfRange beyond 64 bits.
    bool integer(std::int64_t& value);
    /// Numbers between brackets, with commas between them: "{0,1}".
    bool integers(char open, char close, std::vector<std::int64_t>& values);
    /// Steps over one pair of brackets with all that is in it.
    bool skipBrackets();
    /// Steps over the value of an attribute that begins right here, up to what ends it: a comma, a closing bracket, the
    /// end of the line.
    bool skipValue();
    void skipBlanks()
    {
        if (m_position < m_end && m_text[m_position] > ' ' && m_text[m_position] != '/')
            return;
        skipMore();
    }

    // Errors; all return false.
    bool expected(std::string what);
    bool expectedAt(std::size_t position, std::string what);
    bool problem(Code code, std::vector<Arg> args, std::size_t position);

private:
    void skipMore();
    bool skipString();

    std::string_view m_text;
    std::size_t m_position;
    std::size_t m_end;
    mlir::FirstError* m_firstError;
};

} // namespace shardscope::hlo

// SPDX-License-Identifier: GPL-3.0-or-later
// Steps through MLIR text. There are no token objects: callers ask for what may stand at the present position, and
// whatever is taken is a view into the text. The first error stays; whoever gets false returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/small_vector.h"

namespace shardscope::mlir {

/// The first error of all scanners over one text.
struct FirstError {
    std::optional<Error> error;
};

/// For an error in the last line of a text that breaks off there with brackets open: Syntax, the end of the text in
/// place of what that line seems to have wrong, such as half of a name. Other errors stay as they are.
[[nodiscard]] Error orEndsEarly(Error error, std::string_view text);

/// Where a text begins: after the byte order mark, if an editor put one there.
[[nodiscard]] inline std::size_t textBegin(std::string_view text)
{
    constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
    return text.starts_with(byteOrderMark) ? byteOrderMark.size() : 0;
}

class Scanner {
public:
    /// Over the part [begin, end) of `text`; places are those in the whole text.
    Scanner(std::string_view text, std::size_t begin, std::size_t end, FirstError& firstError);
    /// Over a view into the same text.
    [[nodiscard]] Scanner within(std::string_view view) const;

    [[nodiscard]] std::string_view text() const { return m_text; }
    /// Offset of the next thing that is neither blank nor comment.
    [[nodiscard]] std::size_t position()
    {
        skipBlanks();
        return m_position;
    }
    /// Offset right after what was taken last.
    [[nodiscard]] std::size_t rawPosition() const { return m_position; }
    void seek(std::size_t position) { m_position = position; }
    [[nodiscard]] std::size_t end() const { return m_end; }
    [[nodiscard]] bool atEnd()
    {
        skipBlanks();
        return m_position >= m_end;
    }
    [[nodiscard]] std::string_view since(std::size_t begin) const { return m_text.substr(begin, m_position - begin); }

    /// The next character that is neither blank nor comment; NUL at the end.
    [[nodiscard]] char peek()
    {
        skipBlanks();
        return raw();
    }
    /// The character at the present position as it is.
    [[nodiscard]] char raw() const { return m_position < m_end ? m_text[m_position] : '\0'; }
    [[nodiscard]] char rawAt(std::size_t offset) const
    {
        return m_position + offset < m_end ? m_text[m_position + offset] : '\0';
    }
    void step() { ++m_position; }
    [[nodiscard]] bool at(char c) { return peek() == c && m_position < m_end; }
    [[nodiscard]] bool at(std::string_view punctuation);
    bool accept(char c)
    {
        if (!at(c))
            return false;
        ++m_position;
        return true;
    }
    bool accept(std::string_view punctuation);
    /// Takes the character or fails.
    bool require(char c);
    bool require(std::string_view punctuation);

    /// A bare identifier, [A-Za-z_][A-Za-z0-9_$.]*; empty if there is none. peekWord() leaves it.
    std::string_view word();
    [[nodiscard]] std::string_view peekWord();
    bool acceptWord(std::string_view word);
    /// What follows %, ^, # or !: digits, or a name that may also hold "-". Right at the present position.
    std::string_view suffix();
    /// A string with its quotes; empty if there is none or it is not closed.
    std::string_view quoted();
    /// A string, unescaped.
    bool string(std::string& value);
    /// "@name" or "@\"any name\"", also with "::@nested" names after, which are kept as they are.
    bool symbol(std::string& name);
    /// A whole number, decimal or hexadecimal; beyond 64 bits it is as large or as small as they hold.
    bool integer(std::int64_t& value);
    /// The same where the number has no sign and stands right here. Nothing is said where there is none.
    bool digits(std::int64_t& value);

    /// Items between two brackets, with commas between them; there may be none. `item` says whether it could be read.
    template <class Item>
    bool list(char open, char close, const Item& item)
    {
        return require(open) && listAfter(close, item);
    }
    /// The same after the opening bracket.
    template <class Item>
    bool listAfter(char close, const Item& item)
    {
        if (accept(close))
            return true;
        do {
            if (!item())
                return false;
        } while (accept(','));
        return require(close);
    }

    /// The same, with a comma allowed before the closing bracket: "<a = 1, b = 2,>".
    template <class Item>
    bool listWithTrailingComma(char open, char close, const Item& item)
    {
        if (!require(open))
            return false;
        while (!accept(close)) {
            if (!item())
                return false;
            if (!accept(','))
                return require(close);
        }
        return true;
    }

    /// Steps over blanks and comments.
    void skipBlanks()
    {
        if (m_position < m_end && m_text[m_position] > ' ' && m_text[m_position] != '/')
            return;
        skipMore();
    }
    /// Steps over one attribute value or type with all brackets in it, up to what ends it: a comma, a closing bracket,
    /// the end; and with `pretty` also a colon, or a "{" that does not begin the value.
    bool skipValue(bool pretty);
    /// Steps over one word, number, string or name, and over the brackets that follow it directly: "dense<[1, 2]>".
    bool skipItem();

    // Errors; all return false.
    bool expected(std::string what);
    bool expectedAt(std::size_t position, std::string what);
    bool problem(Code code, std::vector<Arg> args, std::size_t position);
    [[nodiscard]] bool failed() const { return m_firstError->error.has_value(); }
    /// What stands at a position, for messages.
    [[nodiscard]] std::string found(std::size_t position) const;

private:
    void skipMore();
    bool skipBrackets();
    struct OpenBracket {
        char sign = '(';
        std::size_t at = 0;
    };
    using OpenBrackets = SmallVector<OpenBracket, 8>;
    bool stepOver(OpenBrackets& open);

    std::string_view m_text;
    std::size_t m_position;
    std::size_t m_end;
    FirstError* m_firstError;
};

/// Line and column of offsets. Cheap where offsets ascend.
class Places {
public:
    explicit Places(std::string_view text)
        : m_text(text)
    {
    }
    struct Place {
        std::uint32_t line = 1, column = 1;
    };
    Place of(std::size_t offset);

private:
    std::string_view m_text;
    std::size_t m_offset = 0; ///< up to where lines and columns have been counted
    Place m_place;
};

/// Line and column of one offset.
[[nodiscard]] Where placeOf(std::string_view text, std::size_t offset);
/// What is missing where nothing closes the bracket at that offset: "the end of the bracket “(” of line 3, column 7".
[[nodiscard]] std::string endOfBracket(std::string_view text, std::size_t bracket);
/// A string as it stands between quotes, without escapes: "\22" is a quote, "\n" a line end.
[[nodiscard]] std::string unescaped(std::string_view inside);

inline bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
inline bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool isWordCharacter(char c)
{
    return isLetter(c) || isDigit(c) || c == '_' || c == '$' || c == '.';
}

} // namespace shardscope::mlir

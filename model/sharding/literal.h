// SPDX-License-Identifier: GPL-3.0-or-later
// Literals as people write them in Python or JSON: strings, names, None, numbers, tuples, lists and mappings, with
// comments, trailing commas and line breaks. One reader for rules, specs and meshes.
//
//     rules = (('batch', 'data'),  # a comment
//              ('embed', None),)
//     is a Tuple of two Tuples; the first holds the Strings batch and data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

struct Literal {
    enum class Kind : std::uint8_t { None, Unconstrained, Number, String, Name, List, Tuple, Mapping };
    Kind kind = Kind::None;
    std::string text; ///< of a String without quotes, of a Name or Number as written
    std::vector<Literal> items; ///< of a Mapping: key, value, key, value, ...
    int line = 1; ///< where it begins; columns count characters
    int column = 1;

    [[nodiscard]] bool isSequence() const { return kind == Kind::List || kind == Kind::Tuple; }
    [[nodiscard]] Where where() const;
    /// How it is named in messages: the opening bracket of a container, a String in quotes.
    [[nodiscard]] std::string shown() const;
};

/// Containers inside containers, at most. Deeper text is refused with TooLarge.
inline constexpr int maximumNesting = 64;
/// Values in a text, at most, those inside others counted: memory is asked for each.
inline constexpr std::size_t maximumLiterals = 1'000'000;

/// Text in Python has to be UTF-8; what is not is no token.
class Tokens {
public:
    /// How comments begin and what a backslash in a string means: "#" and \n, \x41, \u0041 as in Python and JSON, whose
    /// strings stand in quotes of either kind; "//" and \n, \41 as in MLIR and HLO, which know double quotes alone.
    enum class Language : std::uint8_t { Python, Mlir };
    enum class Kind : std::uint8_t { End, Punctuation, String, Name, Number, Bad };
    struct Token {
        Kind kind = Kind::End;
        std::string text;
        int line = 1;
        int column = 1;
        std::string expected; ///< for Bad: what is missing
    };

    explicit Tokens(
        std::string_view text, Language language = Language::Python, std::size_t literals = maximumLiterals);

    [[nodiscard]] const Token& peek() const { return m_token; }
    Token take();
    [[nodiscard]] bool at(char punctuation) const;
    /// Takes the character if it stands here.
    bool accept(char punctuation);
    /// Takes the name if it stands here.
    bool acceptName(std::string_view name);
    /// Takes a whole number. One too long for the type is as large (or as small) as it holds: limits refuse it then.
    [[nodiscard]] Result<std::int64_t> takeWholeNumber();
    /// Where the present token stands.
    [[nodiscard]] Where where() const;
    /// A Syntax error at the present token.
    [[nodiscard]] tl::unexpected<Error> unexpected(std::string expected) const;

    /// One literal. Parentheses around a single value without a comma are only grouping. Errors: Syntax; TooLarge for
    /// deep nesting, and once more literals have been read than the text may have.
    [[nodiscard]] Result<Literal> readLiteral(int depth = 0);
    /// What stands between brackets, up to and including `close`; `comma` tells whether there was one at all.
    [[nodiscard]] Result<std::vector<Literal>> readItems(char close, int depth, bool& comma);

private:
    void advance();
    void skipBlanks();
    void step();
    [[nodiscard]] bool atEnd() const { return m_position >= m_text.size(); }
    [[nodiscard]] char current() const { return m_text[m_position]; }
    [[nodiscard]] bool atExponentSign(std::size_t begin) const;
    void readToken();
    void readString();
    bool readEscape(std::string& value);
    bool readMlirEscape(std::string& value);
    [[nodiscard]] bool atComment() const;
    [[nodiscard]] Result<Literal> readMapping(int depth, Literal mapping);

    std::string_view m_text;
    Language m_language;
    std::size_t m_literals; ///< how many may still be read
    std::size_t m_limit;
    std::size_t m_position = 0;
    int m_line = 1;
    int m_column = 1;
    Token m_token;
};

/// Whether the bytes are UTF-8 (RFC 3629: no surrogates, nothing longer than need be).
[[nodiscard]] bool isUtf8(std::string_view text);

/// A Syntax error at a literal.
[[nodiscard]] tl::unexpected<Error> unexpectedLiteral(const Literal& literal, std::string expected);

} // namespace shardscope

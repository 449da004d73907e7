// SPDX-License-Identifier: GPL-3.0-or-later
// Comma separated values (RFC 4180) with positions. The separator may be a comma, a semicolon or a tab: the one that
// the first line has most of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

struct CsvField {
    std::string text; ///< without quotes; blanks around a field without quotes are not part of it
    bool quoted = false;
    int line = 1; ///< where the text begins, after its quote; columns count characters
    int column = 1;

    [[nodiscard]] Where where() const;
    /// The place of a byte of the text; exact as long as the text has no doubled quotes.
    [[nodiscard]] Where whereOf(std::size_t byte) const;
};
using CsvRecord = std::vector<CsvField>;

/// Fields of a line, at most.
inline constexpr std::size_t maximumCsvFields = 1'000;

class CsvReader {
public:
    explicit CsvReader(std::string_view text);

    /// The next line with anything on it; empty at the end. Errors: Syntax for a quote that is not closed, or with text
    /// after it, and for a field that is not UTF-8; TooLarge for a line of more than maximumCsvFields. After an error
    /// nothing more can be read.
    [[nodiscard]] Result<CsvRecord> next();
    [[nodiscard]] char separator() const { return m_separator; }

private:
    [[nodiscard]] bool atEnd() const { return m_position >= m_text.size(); }
    [[nodiscard]] char current() const { return m_text[m_position]; }
    [[nodiscard]] bool atLineEnd() const { return current() == '\n' || current() == '\r'; }
    void step();
    void skipBlanks();
    [[nodiscard]] Result<CsvField> field();
    [[nodiscard]] Result<CsvField> quotedField();
    [[nodiscard]] tl::unexpected<Error> syntax(const char* expected, std::string found) const;

    std::string_view m_text;
    std::size_t m_position = 0;
    int m_line = 1;
    int m_column = 1;
    char m_separator = ',';
};

/// The field as CSV: in quotes where it has separators, quotes, line breaks or blanks at its ends.
[[nodiscard]] std::string quoteCsv(std::string_view text);
/// A line of such fields, with its end.
[[nodiscard]] std::string csvLine(const std::vector<std::string>& fields);

} // namespace shardscope

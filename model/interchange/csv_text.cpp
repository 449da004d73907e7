// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/csv_text.h"

#include <algorithm>

#include "base/codes.h"
#include "sharding/literal.h"

namespace shardscope {

namespace {

/// Inside a UTF-8 sequence, so that it begins no character.
bool continues(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

char separatorOf(std::string_view text)
{
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    char best = ',';
    for (const char candidate : { ',', ';', '\t' })
        if (std::count(line.begin(), line.end(), candidate) > std::count(line.begin(), line.end(), best))
            best = candidate;
    return best;
}

} // namespace

Where CsvField::where() const
{
    Where where;
    where.line = line;
    where.column = column;
    return where;
}

Where CsvField::whereOf(std::size_t byte) const
{
    Where where = this->where();
    for (const char c : std::string_view(text).substr(0, byte)) {
        if (c == '\n') {
            ++where.line;
            where.column = 1;
        } else if (!continues(c)) {
            ++where.column;
        }
    }
    return where;
}

CsvReader::CsvReader(std::string_view text)
    : m_text(text)
{
    if (m_text.starts_with("\xef\xbb\xbf")) // byte order mark
        m_text.remove_prefix(3);
    m_separator = separatorOf(m_text);
}

void CsvReader::step()
{
    const char c = m_text[m_position++];
    if (c == '\n') {
        ++m_line;
        m_column = 1;
    } else if (!continues(c)) {
        ++m_column;
    }
}

void CsvReader::skipBlanks()
{
    while (!atEnd() && (current() == ' ' || current() == '\t') && current() != m_separator)
        step();
}

tl::unexpected<Error> CsvReader::syntax(const char* expected, std::string found) const
{
    Where where;
    where.line = m_line;
    where.column = m_column;
    return fail(Code::Syntax, { { "expected", expected }, { "found", std::move(found) } }, std::move(where));
}

Result<CsvRecord> CsvReader::next()
{
    for (skipBlanks(); !atEnd() && atLineEnd(); skipBlanks())
        step();
    CsvRecord record;
    while (!atEnd()) {
        if (record.size() == maximumCsvFields) {
            Where where;
            where.line = m_line;
            where.column = m_column;
            return fail(
                Code::TooLarge, { { "what", "fields of a line" }, { "limit", maximumCsvFields } }, std::move(where));
        }
        SHARDSCOPE_TRY(read, field());
        if (!isUtf8(read->text))
            return fail(Code::Syntax, { { "expected", "text in UTF-8" }, { "found", "other bytes" } }, read->where());
        record.push_back(std::move(*read));
        if (atEnd() || atLineEnd())
            return record;
        step(); // the separator
        if (atEnd()) // which an empty field follows
            record.push_back({ {}, false, m_line, m_column });
    }
    return record;
}

Result<CsvField> CsvReader::field()
{
    skipBlanks();
    CsvField field{ {}, false, m_line, m_column };
    if (atEnd())
        return field;
    if (current() == '"')
        return quotedField();
    const std::size_t begin = m_position;
    while (!atEnd() && current() != m_separator && !atLineEnd())
        step();
    std::string_view text = m_text.substr(begin, m_position - begin);
    while (text.ends_with(' ') || text.ends_with('\t'))
        text.remove_suffix(1);
    field.text = text;
    return field;
}

Result<CsvField> CsvReader::quotedField()
{
    step();
    CsvField field{ {}, true, m_line, m_column };
    for (;;) {
        if (atEnd())
            return syntax("a closing quote", "end of text");
        const char c = current();
        step();
        if (c != '"') {
            field.text += c;
            continue;
        }
        if (!atEnd() && current() == '"') {
            field.text += '"';
            step();
            continue;
        }
        break;
    }
    skipBlanks();
    if (!atEnd() && current() != m_separator && !atLineEnd())
        return syntax("a separator or the end of the line", "'" + std::string(1, current()) + "'");
    return field;
}

std::string quoteCsv(std::string_view text)
{
    const bool blanks =
        !text.empty() && (text.front() == ' ' || text.front() == '\t' || text.back() == ' ' || text.back() == '\t');
    if (!blanks && text.find_first_of(",;\t\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string csvLine(const std::vector<std::string>& fields)
{
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i)
        line += (i == 0 ? "" : ",") + quoteCsv(fields[i]);
    return line + '\n';
}

} // namespace shardscope

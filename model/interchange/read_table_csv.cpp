// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in parameter_table.h.
#include <algorithm>
#include <array>

#include "base/codes.h"
#include "interchange/csv_text.h"
#include "interchange/table_builder.h"
#include "sharding/parse_names.h"

namespace shardscope {

namespace {

constexpr std::array<std::string_view, 4> columnNames{ "path", "shape", "dtype", "names" };
enum Column : std::size_t { Path, SizesOf, Type, Names };

class CsvTable {
public:
    explicit CsvTable(std::string_view text)
        : m_reader(text)
    {
    }

    ReadTable read()
    {
        const Result<CsvRecord> header = m_reader.next();
        if (!header)
            m_builder.report(header.error());
        else if (readHeader(*header))
            readRows();
        return m_builder.finish();
    }

private:
    bool readHeader(const CsvRecord& header)
    {
        for (std::size_t i = 0; i < header.size(); ++i) {
            const auto known = std::find(columnNames.begin(), columnNames.end(), header[i].text);
            if (known == columnNames.end()) {
                const std::vector<std::string> names(columnNames.begin(), columnNames.end());
                m_builder.unknownKey({ Code::UnknownKey,
                    { { "key", header[i].text }, { "nearest", nearestName(header[i].text, names) } },
                    header[i].where() });
                continue;
            }
            int& column = m_columns[static_cast<std::size_t>(known - columnNames.begin())];
            if (column >= 0)
                m_builder.report({ Code::DuplicateKey, { { "key", header[i].text } }, header[i].where() });
            column = static_cast<int>(i);
        }
        m_width = header.size();
        for (const Column column : { Path, SizesOf })
            if (m_columns[column] < 0) {
                Where where;
                where.line = 1;
                where.column = 1;
                m_builder.report({ Code::MissingKey, { { "key", columnNames[column] } },
                    header.empty() ? where : header.front().where() });
            }
        return m_builder.rightSoFar();
    }

    void readRows()
    {
        while (!m_builder.full()) {
            const Result<CsvRecord> record = m_reader.next();
            if (!record) {
                m_builder.report(record.error());
                return;
            }
            if (record->empty())
                return;
            readRow(*record);
        }
    }

    /// Null where the line is too short, or where the table lacks the column.
    [[nodiscard]] const CsvField* cell(const CsvRecord& record, Column column) const
    {
        const int index = m_columns[column];
        return index < 0 || static_cast<std::size_t>(index) >= record.size() ? nullptr
                                                                             : &record[static_cast<std::size_t>(index)];
    }

    void readRow(const CsvRecord& record)
    {
        if (record.size() > m_width) {
            m_builder.report({ Code::Syntax,
                { { "expected", std::to_string(m_width) + " fields" },
                    { "found", std::to_string(record.size()) + ": text with separators needs quotes" } },
                record[m_width].where() });
            return;
        }
        for (const Column column : { Path, SizesOf })
            if (!cell(record, column)) {
                m_builder.report({ Code::MissingKey, { { "key", columnNames[column] } }, record.front().where() });
                return;
            }
        const CsvField& path = *cell(record, Path);
        const CsvField& sizes = *cell(record, SizesOf);
        TableBuilder::Row row{ path.text, shapeOf(sizes), DType::F32, LogicalNames() };
        if (const CsvField* type = cell(record, Type); type && !type->text.empty())
            row.dtype = m_builder.dtype(type->text, type->where());
        const CsvField* namesCell = cell(record, Names);
        if (namesCell)
            row.names = namesOf(*namesCell);
        m_builder.add(std::move(row),
            { record.front().where(), path.where(), sizes.where(), namesCell ? namesCell->where() : sizes.where() });
    }

    /// 1024x4096, (1024, 4096), [1024,4096], 1024 4096; nothing or () for a scalar.
    std::optional<Shape> shapeOf(const CsvField& field)
    {
        constexpr std::string_view blanks = " \t\r\n";
        constexpr std::string_view separators = " \t\r\n,;xX*";
        const std::string_view text = field.text;
        std::size_t begin = text.find_first_not_of(blanks);
        std::size_t end = text.find_last_not_of(blanks) + 1;
        Shape shape;
        if (begin == std::string_view::npos)
            return shape;
        if (text[begin] == '(' || text[begin] == '[') {
            const char close = text[begin] == '(' ? ')' : ']';
            if (text[end - 1] != close) {
                m_builder.report({ Code::Syntax,
                    { { "expected", "'" + std::string(1, close) + "'" }, { "found", "the end of the shape" } },
                    field.whereOf(end) });
                return std::nullopt;
            }
            ++begin;
            --end;
        }
        for (std::size_t at = begin; at < end;) {
            if (separators.find(text[at]) != std::string_view::npos) {
                ++at;
                continue;
            }
            const std::size_t stop = std::min(text.find_first_of(separators, at), end);
            const auto size = m_builder.size(text.substr(at, stop - at), field.whereOf(at));
            if (!size)
                return std::nullopt;
            if (shape.size() == maximumTableRank) {
                m_builder.report(
                    { Code::TooLarge, { { "what", "dimensions" }, { "limit", maximumTableRank } }, field.whereOf(at) });
                return std::nullopt;
            }
            shape.push_back(*size);
            at = stop;
        }
        return shape;
    }

    std::optional<LogicalNames> namesOf(const CsvField& field)
    {
        Result<LogicalNames> names = parseNames(field.text);
        if (names)
            return std::move(*names);
        Diagnostic error = names.error();
        Where& where = error.where;
        if (where.line <= 1)
            where.column += field.column - 1;
        where.line += field.line - 1;
        m_builder.report(std::move(error));
        return std::nullopt;
    }

    CsvReader m_reader;
    TableBuilder m_builder;
    std::array<int, 4> m_columns{ -1, -1, -1, -1 };
    std::size_t m_width = 0;
};

} // namespace

ReadTable readCsvTable(std::string_view text)
{
    if (text.size() > maximumTableBytes)
        return tl::unexpected(std::vector<Diagnostic>{ { Code::TooLarge,
            { { "what", "table" }, { "bytes", text.size() }, { "limit", maximumTableBytes } }, {} } });
    return CsvTable(text).read();
}

} // namespace shardscope

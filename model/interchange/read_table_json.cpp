// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in parameter_table.h.

#include "base/codes.h"
#include "interchange/table_builder.h"
#include "sharding/parse_names.h"

namespace shardscope {

namespace {

/// A row's cells; absent ones are null.
struct Cells {
    const Literal* path = nullptr;
    const Literal* shape = nullptr;
    const Literal* dtype = nullptr;
    const Literal* names = nullptr;
};

class JsonTable {
public:
    ReadTable read(std::string_view text)
    {
        constexpr std::size_t valuesOfARow = 64; // of many dimensions with names, as an object
        Tokens tokens(text, Tokens::Language::Python, maximumTableRows * valuesOfARow);
        const Result<Literal> root = tokens.readLiteral();
        if (!root)
            m_builder.report(root.error());
        else if (tokens.peek().kind != Tokens::Kind::End)
            m_builder.report(tokens.unexpected("end of text").value());
        else
            readRoot(*root);
        return m_builder.finish();
    }

private:
    void readRoot(const Literal& root)
    {
        if (root.kind == Literal::Kind::Mapping) {
            for (std::size_t i = 0; i + 1 < root.items.size() && !m_builder.full(); i += 2)
                readNamed(root.items[i], root.items[i + 1]);
            return;
        }
        if (!root.isSequence()) {
            m_builder.report(unexpectedLiteral(root, "a list of arrays").value());
            return;
        }
        for (const Literal& item : root.items) {
            if (m_builder.full())
                return;
            Cells cells;
            if (item.kind == Literal::Kind::Mapping)
                takeMembers(item, cells);
            else if (item.isSequence() && item.items.size() >= 2 && item.items.size() <= 4)
                takeItems(item, cells);
            else {
                m_builder.report(
                    unexpectedLiteral(item, "an object with path, shape, dtype and names, or a list of these").value());
                continue;
            }
            addRow(item, cells);
        }
    }

    /// { path: { shape, dtype, names } }
    void readNamed(const Literal& path, const Literal& value)
    {
        if (value.kind != Literal::Kind::Mapping) {
            m_builder.report(unexpectedLiteral(value, "an object with shape, dtype and names").value());
            return;
        }
        Cells cells;
        takeMembers(value, cells);
        cells.path = &path;
        addRow(path, cells);
    }

    void takeItems(const Literal& row, Cells& cells)
    {
        const auto item = [&](std::size_t i) { return i < row.items.size() ? &row.items[i] : nullptr; };
        cells = { item(0), item(1), item(2), item(3) };
    }

    void takeMembers(const Literal& row, Cells& cells)
    {
        for (std::size_t i = 0; i + 1 < row.items.size(); i += 2) {
            const Literal& key = row.items[i];
            const Literal*& cell = key.text == "path" ? cells.path
                : key.text == "shape"                 ? cells.shape
                : key.text == "dtype"                 ? cells.dtype
                : key.text == "names"                 ? cells.names
                                                      : m_none;
            if (&cell == &m_none) {
                const std::vector<std::string> known{ "path", "shape", "dtype", "names" };
                m_builder.unknownKey({ Code::UnknownKey,
                    { { "key", key.text }, { "nearest", nearestName(key.text, known) } }, key.where() });
            } else if (cell) {
                m_builder.report({ Code::DuplicateKey, { { "key", key.text } }, key.where() });
            } else {
                cell = &row.items[i + 1];
            }
        }
    }

    /// Names may stand in one string, as in CSV.
    std::optional<LogicalNames> namesOf(const Literal& cell)
    {
        if (cell.kind == Literal::Kind::None)
            return LogicalNames();
        Result<LogicalNames> names = cell.kind == Literal::Kind::String ? parseNames(cell.text) : toLogicalNames(cell);
        if (names) {
            for (LogicalName& name : *names) // JSON has no other word for it
                if (name == LogicalName::of("P.UNCONSTRAINED"))
                    name = LogicalName::unconstrained();
            return std::move(*names);
        }
        Diagnostic error = names.error();
        if (cell.kind == Literal::Kind::String)
            error.where = cell.where();
        m_builder.report(std::move(error));
        return std::nullopt;
    }

    void addRow(const Literal& begin, const Cells& cells)
    {
        if (!cells.path || !cells.shape) {
            m_builder.report({ Code::MissingKey, { { "key", cells.path ? "shape" : "path" } }, begin.where() });
            return;
        }
        if (cells.path->kind != Literal::Kind::String) {
            m_builder.wrongType("path", "a string", *cells.path);
            return;
        }
        TableBuilder::Row row{ cells.path->text, m_builder.shape(*cells.shape), DType::F32,
            cells.names ? namesOf(*cells.names) : LogicalNames() };
        if (cells.dtype && cells.dtype->kind != Literal::Kind::None) {
            if (cells.dtype->kind != Literal::Kind::String && cells.dtype->kind != Literal::Kind::Name)
                m_builder.wrongType("dtype", "a string", *cells.dtype);
            else
                row.dtype = m_builder.dtype(cells.dtype->text, cells.dtype->where());
        }
        m_builder.add(std::move(row),
            { begin.where(), begin.where(), cells.shape->where(), cells.names ? cells.names->where() : begin.where() });
    }

    TableBuilder m_builder;
    const Literal* m_none = nullptr;
};

} // namespace

ReadTable readJsonTable(std::string_view text)
{
    if (text.size() > maximumTableBytes)
        return tl::unexpected(std::vector<Diagnostic>{ { Code::TooLarge,
            { { "what", "table" }, { "bytes", text.size() }, { "limit", maximumTableBytes } }, {} } });
    return JsonTable().read(text);
}

ReadTable readTable(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    const bool json = first != std::string_view::npos && std::string_view("[{(").find(text[first]) != std::string::npos;
    return json ? readJsonTable(text) : readCsvTable(text);
}

} // namespace shardscope

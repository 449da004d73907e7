// SPDX-License-Identifier: GPL-3.0-or-later
#include "console.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace shardscope::cli {

namespace {

/// Characters that take a place of their own.
qsizetype width(const QString& text)
{
    return text.toUcs4().size();
}

QString styled(const QString& text, Emphasis emphasis)
{
    const char* code = "";
    switch (emphasis) {
    case Emphasis::None:
        return text;
    case Emphasis::Heading:
        code = "1";
        break;
    case Emphasis::Faint:
        code = "2";
        break;
    case Emphasis::Good:
        code = "32";
        break;
    case Emphasis::Warning:
        code = "33";
        break;
    case Emphasis::Bad:
        code = "31";
        break;
    }
    return QStringLiteral("\x1b[%1m%2\x1b[0m").arg(QLatin1String(code), text);
}

} // namespace

QString printable(const QString& text)
{
    QString out;
    for (const QChar c : text) {
        const auto code = c.unicode();
        if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            out += QStringLiteral("\\x%1").arg(code, 2, 16, QLatin1Char('0'));
        else
            out += c;
    }
    return out;
}

void writeTo(std::FILE* stream, std::string_view bytes)
{
    if (std::ferror(stream) != 0)
        return; // said already
    if (std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size() && std::fflush(stream) == 0)
        return;
    if (stream == stdout)
        std::fprintf(stderr, "shardscope: standard output cannot be written: %s\n", std::strerror(errno));
}

Table::Table(std::initializer_list<const char*> titles)
{
    for (const char* specified : titles) {
        QString title = QString::fromUtf8(specified);
        const bool right = title.endsWith(QLatin1Char('>'));
        if (right)
            title.chop(1);
        columns.push_back({ std::move(title), right });
    }
}

QStringList toLines(const Table& raw)
{
    // Cells are added one by one: where memory ends, Qt 6.4 says so of a list that grows, not of one that it detaches.
    Table table;
    for (const Column& column : raw.columns)
        table.columns.push_back({ printable(column.title), column.right });
    for (const QStringList& row : raw.rows) {
        QStringList& cells = table.rows.emplace_back();
        for (const QString& cell : row)
            cells << printable(cell);
    }

    std::vector<qsizetype> widths;
    QStringList header;
    for (const Column& column : table.columns) {
        header << column.title;
        widths.push_back(width(column.title));
    }
    for (const QStringList& row : table.rows)
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], width(row.at(static_cast<qsizetype>(i))));

    const auto lineOf = [&](const QStringList& row) {
        QString line;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const QString& cell = row.at(static_cast<qsizetype>(i));
            const QString blanks(widths[i] - width(cell), QLatin1Char(' '));
            if (i > 0)
                line += QStringLiteral("  ");
            line += table.columns[i].right ? blanks + cell : cell + blanks;
        }
        while (line.endsWith(QLatin1Char(' ')))
            line.chop(1);
        return line;
    };
    QStringList lines{ lineOf(header) };
    for (const QStringList& row : table.rows)
        lines << lineOf(row);
    return lines;
}

namespace {

constexpr qsizetype columnGap = 2;
constexpr qsizetype leastFolded = 8; ///< a column of text is made no narrower

/// Lines of a cell: broken after a blank, a comma, a slash or a bracket where there is one.
QStringList foldedCell(const QString& cell, qsizetype most)
{
    QStringList parts;
    QString rest = cell;
    while (width(rest) > most) {
        qsizetype at = most;
        for (qsizetype i = most; i > most / 3; --i)
            if (QStringLiteral(" ,/)]").contains(rest.at(i - 1)) || rest.at(i) == QLatin1Char(' ')) {
                at = i;
                break;
            }
        parts << rest.left(at).trimmed();
        rest = rest.mid(at).trimmed();
    }
    parts << rest;
    return parts;
}

/// The widest cell, and of the title the longest word.
qsizetype leastWidth(const Table& table, std::size_t column)
{
    qsizetype least = 0;
    for (const QString& word : printable(table.columns[column].title).split(QLatin1Char(' ')))
        least = std::max(least, width(word));
    for (const QStringList& row : table.rows)
        least = std::max(least, width(printable(row.at(static_cast<qsizetype>(column)))));
    return least;
}

/// Widths of the columns: as wide as they are where all fit; else titles are folded first, then columns of text made
/// narrower, the widest first.
std::vector<qsizetype> foldedWidths(const Table& table, qsizetype widest)
{
    std::vector<qsizetype> widths;
    qsizetype total = columnGap * (static_cast<qsizetype>(table.columns.size()) - 1);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        widths.push_back(std::max(leastWidth(table, i), width(printable(table.columns[i].title))));
        total += widths.back();
    }
    if (total <= widest)
        return widths;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        total -= widths[i];
        widths[i] = leastWidth(table, i);
        total += widths[i];
    }
    while (total > widest) {
        std::size_t most = widths.size();
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (!table.columns[i].right && widths[i] > leastFolded
                && (most == widths.size() || widths[i] > widths[most]))
                most = i;
        if (most == widths.size())
            break;
        --widths[most];
        --total;
    }
    return widths;
}

/// One row of `table`, as many lines as its longest cell.
qsizetype addFolded(Table& table, const QStringList& row, const std::vector<qsizetype>& widths)
{
    std::vector<QStringList> cells;
    qsizetype lines = 1;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        cells.push_back(foldedCell(printable(row.at(static_cast<qsizetype>(i))), widths[i]));
        lines = std::max(lines, static_cast<qsizetype>(cells.back().size()));
    }
    for (qsizetype line = 0; line < lines; ++line) {
        QStringList& parts = table.rows.emplace_back();
        for (const QStringList& cell : cells)
            parts << cell.value(line);
    }
    return lines;
}

} // namespace

FoldedLines toFoldedLines(const Table& table, qsizetype widest)
{
    const std::vector<qsizetype> widths = foldedWidths(table, widest);
    Table folded;
    QStringList titles;
    for (const Column& column : table.columns) {
        folded.columns.push_back({ {}, column.right });
        titles << column.title;
    }
    FoldedLines result;
    result.header = addFolded(folded, titles, widths);
    for (const QStringList& row : table.rows)
        addFolded(folded, row, widths);
    result.lines = toLines(folded).mid(1); // after the titles, which are empty
    return result;
}

Console::Console(std::FILE* stream)
    : m_stream(stream)
    , m_terminal(isatty(fileno(stream)) != 0 && std::getenv("NO_COLOR") == nullptr)
{
}

void Console::line(const QString& text, Emphasis emphasis)
{
    const QString clean = printable(text);
    m_text += (m_terminal && !clean.isEmpty() ? styled(clean, emphasis) : clean) + QLatin1Char('\n');
    m_empty = false;
}

void Console::heading(const QString& text)
{
    if (!m_empty)
        line();
    line(text, Emphasis::Heading);
}

void Console::lines(const QStringList& text, const QString& indent)
{
    for (const QString& each : text)
        line(each.isEmpty() ? each : indent + each);
}

void Console::table(const Table& table, const QString& indent)
{
    const QStringList text = toLines(table);
    line(indent + text.front(), Emphasis::Faint);
    lines(text.mid(1), indent);
}

void Console::foldedTable(const Table& table, const QString& indent)
{
    winsize size{};
    if (isatty(fileno(m_stream)) == 0 || ioctl(fileno(m_stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return this->table(table, indent);
    constexpr qsizetype least = 60;
    const FoldedLines text = toFoldedLines(table, std::max<qsizetype>(size.ws_col, least) - indent.size());
    for (const QString& title : text.lines.mid(0, text.header))
        line(indent + title, Emphasis::Faint);
    lines(text.lines.mid(text.header), indent);
}

void Console::more(std::int64_t count, const char* what)
{
    if (count > 0)
        line(QStringLiteral("  and %1 more%2").arg(count).arg(QString::fromUtf8(what)));
}

void Console::flush()
{
    const QByteArray bytes = m_text.toUtf8();
    writeTo(m_stream, { bytes.constData(), static_cast<std::size_t>(bytes.size()) });
    m_text.clear();
}

} // namespace shardscope::cli

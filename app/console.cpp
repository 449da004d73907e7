// SPDX-License-Identifier: GPL-3.0-or-later
#include "console.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
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
    for (const char* given : titles) {
        QString title = QString::fromUtf8(given);
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

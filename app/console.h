// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line prints: plain text in UTF-8, aligned tables, emphasis only on a terminal.
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace shardscope::cli {

struct Column {
    QString title;
    bool right = false; ///< numbers stand right
};

struct Table {
    Table() = default;
    /// By their titles; numbers stand right under those that end in ">".
    Table(std::initializer_list<const char*> titles);

    std::vector<Column> columns;
    std::vector<QStringList> rows; ///< one cell per column
};

/// Lines of the table, header first: columns two blanks apart, as wide as their widest cell, no blanks at line ends.
[[nodiscard]] QStringList toLines(const Table& table);
/// The same, at most so many characters wide where that can be: cells of the widest columns with text, and titles, go
/// on in further lines. Numbers are never parted.
struct FoldedLines {
    QStringList lines;
    qsizetype header = 1; ///< how many of them are the titles
};
[[nodiscard]] FoldedLines toFoldedLines(const Table& table, qsizetype widest);

/// Control characters as \x1b and the like, so that no text of a file can steer the terminal.
[[nodiscard]] QString printable(const QString& text);

/// Writes at once. A failure is said once on the error stream and stays as the stream's error (std::ferror).
void writeTo(std::FILE* stream, std::string_view bytes);

enum class Emphasis : std::uint8_t { None, Heading, Faint, Good, Warning, Bad };

/// Collects text and writes it at once.
class Console {
public:
    explicit Console(std::FILE* stream = stdout);
    ~Console() { flush(); }
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    void line(const QString& text = {}, Emphasis emphasis = Emphasis::None);
    /// An empty line, then the heading.
    void heading(const QString& text);
    void lines(const QStringList& text, const QString& indent = {});
    void table(const Table& table, const QString& indent = QStringLiteral("  "));
    /// As wide as the terminal; in a file or pipe one line a row, so that it can be searched.
    void foldedTable(const Table& table, const QString& indent = QStringLiteral("  "));
    /// "  and 3 more", with what follows it; nothing of none.
    void more(std::int64_t count, const char* what = "");
    void flush();

private:
    std::FILE* m_stream;
    bool m_terminal;
    QString m_text;
    bool m_empty = true;
};

} // namespace shardscope::cli

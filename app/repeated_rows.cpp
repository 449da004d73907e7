// SPDX-License-Identifier: GPL-3.0-or-later
#include "repeated_rows.h"

#include <map>

#include "analysis/parameter_coverage.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

Table withRepeatedRowsOnce(const Table& table, qsizetype nameColumn, const char* title)
{
    Table result;
    result.columns = table.columns;
    result.columns.push_back({ QString::fromUtf8(title), true });
    struct Row {
        std::size_t place;
        qint64 count;
    };
    std::map<QStringList, Row> known;
    for (const QStringList& row : table.rows) {
        QStringList alike = row;
        alike[nameColumn] = words::fromStd(withoutLayerNumbers(row[nameColumn].toStdString()));
        const auto [found, isNew] = known.try_emplace(alike, Row{ result.rows.size(), 0 });
        const qint64 count = ++found->second.count;
        if (isNew)
            result.rows.push_back(row + QStringList{ words::count(count) });
        else
            result.rows[found->second.place] = alike + QStringList{ words::count(count) };
    }
    return result;
}

void printLongTable(Console& console, const Table& table, qsizetype nameColumn, const char* title)
{
    constexpr std::size_t isLong = 64;
    if (table.rows.size() > isLong)
        if (const Table once = withRepeatedRowsOnce(table, nameColumn, title); once.rows.size() < table.rows.size()) {
            console.table(once);
            console.line(QStringLiteral("  %1 rows, those that differ by the number of a layer as one (--all lists "
                                        "each)")
                             .arg(words::count(static_cast<qint64>(table.rows.size()))),
                Emphasis::Faint);
            return;
        }
    console.table(table);
}

} // namespace shardscope::cli

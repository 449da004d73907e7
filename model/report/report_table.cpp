// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/report_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "analysis/host_transfers.h"
#include "analysis/parameter_tree.h"
#include "base/text.h"
#include "interchange/csv_text.h"
#include "interchange/parameter_table.h"
#include "pipeline/collective_list.h"
#include "pipeline/planned_memory.h"
#include "schedule/plan.h"
#include "sharding/text.h"
#include "words/collective_words.h"
#include "words/memory_words.h"
#include "words/spec_text.h"
#include "words/tr.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

using words::fromStd;
using words::Words;

namespace {

ReportCell plainCell(const std::string& text)
{
    return { text, fromStd(text) };
}

ReportCell numberCell(std::int64_t number)
{
    return { std::to_string(number), words::count(number) };
}

ReportCell bytesCell(std::int64_t bytes)
{
    return { std::to_string(bytes), words::bytes(static_cast<double>(bytes)) };
}

ReportCell bytesCell(Rational bytes)
{
    std::array<char, 32> text{};
    char* const end = text.data() + text.size();
    const std::to_chars_result written = bytes.denominator() == 1 ? std::to_chars(text.data(), end, bytes.numerator())
                                                                  : std::to_chars(text.data(), end, bytes.value());
    return { std::string(text.data(), written.ptr), words::bytes(bytes) };
}

ReportCell shapeCell(std::span<const std::int64_t> shape)
{
    return { join(shape, "x"), words::shape(shape) };
}

ReportCell timesCell(std::int64_t times, bool known)
{
    return { std::to_string(times), words::count(times) + (known ? QString() : QStringLiteral(" × ?")) };
}

ReportCell truthCell(bool value)
{
    return { value ? "true" : "false", {} };
}

/// "[[0,1],[2,3]]"
ReportCell groupsCell(const std::vector<std::vector<std::int64_t>>& groups)
{
    const auto one = [](const std::vector<std::int64_t>& ids) { return '[' + join(ids, ",") + ']'; };
    return { '[' + join(groups, ",", one) + ']', {} };
}

std::vector<ReportCell> collectiveCells(const CollectiveList& list, std::size_t index, bool groups)
{
    const CollectiveEntry& entry = list.entries[index];
    std::vector<ReportCell> cells{ numberCell(static_cast<std::int64_t>(index + 1)),
        { std::string(name(entry.kind)), words::collective(entry.kind) }, plainCell(keyOf(entry, CollectiveKey::Axes)),
        numberCell(entry.groupSize), numberCell(entry.groupCount), bytesCell(entry.sentBytes),
        timesCell(entry.times, entry.timesKnown), truthCell(entry.timesKnown), bytesCell(entry.sentPerStep()),
        plainCell(entry.scope), plainCell(entry.value.valid() ? *list.program->value(entry.value).path : std::string()),
        { std::string(causeId(entry)), words::causeName(entry) }, truthCell(entry.scalarLoss), {}, {}, {}, {} };
    if (groups) {
        cells.push_back(groupsCell(replicaGroups(entry, *entry.mesh)));
        cells.push_back(entry.kind == CollectiveKind::CollectivePermute ? groupsCell(sentPairs(entry)) : ReportCell());
    }
    return cells;
}

/// In the columns of the collectives: none of it is sent to another device.
std::vector<ReportCell> transferCells(const Snapshot& snapshot, const HostTransfer& transfer)
{
    const std::int64_t bytes = transfer.bytes.bytesPerDevice;
    return { {}, { "transfer", Words::tr("transfer") }, {}, {}, {}, {}, timesCell(transfer.times, transfer.timesKnown),
        truthCell(transfer.timesKnown), {}, {}, plainCell(*snapshot.program->value(transfer.value).path),
        { std::string(causeId(transfer)), words::transferCause(snapshot, transfer) }, {},
        { std::string(toString(transfer.from)), words::memoryKind(transfer.from) },
        { std::string(toString(transfer.to)), words::memoryKind(transfer.to) }, bytesCell(bytes),
        bytesCell(saturatingProduct(bytes, transfer.times)) };
}

ReportTable meshTable(const Snapshot& snapshot)
{
    ReportTable table{ Words::tr("Mesh"), { { "axis", Words::tr("Mesh axis") }, { "size", Words::tr("Size"), true } },
        {} };
    if (snapshot.mesh)
        for (const MeshAxis& axis : snapshot.mesh->axes())
            table.rows.push_back({ plainCell(axis.name), numberCell(axis.size) });
    return table;
}

ReportTable rulesTable(const Snapshot& snapshot)
{
    ReportTable table{ Words::tr("Rules"),
        { { "number", QStringLiteral("#"), true }, { "name", Words::tr("Logical axis") },
            { "mesh_axes", Words::tr("Mesh axes") }, { "uses", Words::tr("Uses"), true } },
        {} };
    const std::vector<LogicalRule>& rules = snapshot.experiment->rules.rules.list;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const std::string target = toColumn(PartitionSpec{ { rules[i].target } }); // "P(data)"
        table.rows.push_back({ numberCell(static_cast<std::int64_t>(i + 1)),
            plainCell(rules[i].name.kind == LogicalName::Kind::Name ? rules[i].name.name : "None"),
            plainCell(target.substr(2, target.size() - 3)),
            i < snapshot.ruleUses.size() ? numberCell(snapshot.ruleUses[i].uses) : ReportCell() });
    }
    return table;
}

ReportTable memoryTable(const Snapshot& snapshot)
{
    ReportTable table{ Words::tr("Memory of a device at its peak"),
        { { "owner", Words::tr("Arrays") }, { "bytes", Words::tr("Bytes"), true } }, {} };
    if (!snapshot.plan)
        return table;
    const MemorySummary memory = plannedMemory(*snapshot.plan).memory;
    for (std::size_t i = 0; i < ownerCount; ++i)
        if (memory.atPeak[i] > 0) {
            const QString owner = words::owner(static_cast<Owner>(i), *snapshot.program);
            table.rows.push_back({ { owner.toStdString(), owner }, bytesCell(memory.atPeak[i]) });
        }
    const QString all = Words::tr("in all");
    table.rows.push_back({ { all.toStdString(), all }, bytesCell(memory.peakBytes) });
    return table;
}

ReportTable problemsTable(const Snapshot& snapshot)
{
    ReportTable table{ Words::tr("Problems"),
        { { "code", Words::tr("Code") }, { "cause", Words::tr("Cause") }, { "place", Words::tr("Where") },
            { "more", Words::tr("More") } },
        {} };
    for (const Problem& problem : snapshot.problems) {
        const words::ProblemText text = words::describe(problem.diagnostic);
        const auto cell = [](const QString& shown) { return ReportCell{ shown.toStdString(), shown }; };
        table.rows.push_back({ plainCell(std::string(problem.diagnostic.id())), cell(text.cause),
            cell(words::place(problem.diagnostic, snapshot.experiment.get())), cell(text.remedy) });
    }
    return table;
}

/// As a cell of a table in Markdown: on one line, and without what divides cells.
QString inMarkdown(QString text)
{
    text.replace(QLatin1Char('\\'), QStringLiteral("\\\\")).replace(QLatin1Char('|'), QStringLiteral("\\|"));
    return text.replace(QLatin1Char('\n'), QLatin1Char(' '));
}

QString markdownLine(const QStringList& cells)
{
    return QStringLiteral("| %1 |\n").arg(cells.join(QStringLiteral(" | ")));
}

} // namespace

ReportTable tensorsTable(const Snapshot& snapshot, bool parametersAlone)
{
    ReportTable table{ Words::tr("Tensors"),
        { { "path", Words::tr("Tensor") }, { "role", Words::tr("Kind") }, { "dtype", Words::tr("Type") },
            { "shape", Words::tr("Shape") }, { "dimensions", Words::tr("Dimensions") }, { "names", {} },
            { "spec", Words::tr("Spec") }, { "bytes_per_device", Words::tr("Per device"), true },
            { "bytes", Words::tr("In all"), true }, { "copies", Words::tr("Copies"), true } },
        {} };
    for (const TensorRow& row : snapshot.tensors) {
        if (parametersAlone && !isParameter(snapshot, row))
            continue;
        const LogicalNames* names = logicalNamesOf(snapshot, row);
        table.rows.push_back({ plainCell(row.path), { std::string(name(row.role)), words::role(row.role) },
            plainCell(std::string(name(row.type.dtype))), shapeCell(row.type.shape), plainCell(join(row.dimNames, ",")),
            { names ? namesText(*names) : std::string(), {} }, { toJax(row.spec, false), words::specText(row) },
            bytesCell(row.bytesPerDevice), bytesCell(row.bytesInAll), numberCell(row.copies) });
    }
    return table;
}

ReportTable collectivesTable(const Snapshot& snapshot, bool groups)
{
    const HostTransfers transfers = hostTransfers(snapshot);
    const auto ofTransfers = [&](const QString& title) { return transfers.empty() ? QString() : title; };
    ReportTable table{ Words::tr("Collectives"),
        { { "number", QStringLiteral("#"), true }, { "kind", Words::tr("Collective") }, { "axes", Words::tr("Along") },
            { "group_size", Words::tr("Devices of a group"), true }, { "groups", {} },
            { "sent_bytes", Words::tr("Sent per device"), true }, { "times", Words::tr("Times"), true },
            { "times_known", {} }, { "sent_bytes_per_step", Words::tr("Per step"), true }, { "layer", {} },
            { "tensor", Words::tr("Tensor") }, { "cause", Words::tr("Cause") }, { "scalar_loss", {} },
            { "from", ofTransfers(Words::tr("From")) }, { "to", ofTransfers(Words::tr("To")) },
            { "copied_bytes", ofTransfers(Words::tr("Copied per device")), true }, { "copied_bytes_per_step", {} } },
        {} };
    if (groups)
        table.columns.insert(table.columns.end(), { { "replica_groups", {} }, { "source_target_pairs", {} } });
    if (const auto list = collectivesOf(snapshot))
        for (std::size_t i = 0; i < (*list)->entries.size(); ++i)
            table.rows.push_back(collectiveCells(**list, i, groups));
    for (const HostTransfer& transfer : transfers.list) {
        table.rows.push_back(transferCells(snapshot, transfer));
        table.rows.back().resize(table.columns.size());
    }
    return table;
}

const std::vector<std::string>& reportSubjectNames()
{
    static const std::vector<std::string> names{ "mesh", "rules", "tensors", "collectives", "memory", "problems" };
    return names;
}

ReportTable reportTable(const Snapshot& snapshot, ReportSubject subject)
{
    using Maker = ReportTable (*)(const Snapshot&);
    constexpr Maker makers[] = { meshTable, rulesTable, [](const Snapshot& of) { return tensorsTable(of); },
        [](const Snapshot& of) { return collectivesTable(of); }, memoryTable, problemsTable }; // by subject
    return makers[static_cast<std::size_t>(subject)](snapshot);
}

std::string toCsv(const ReportTable& table)
{
    const auto line = [](const auto& items, auto text) {
        std::vector<std::string> fields;
        std::ranges::transform(items, std::back_inserter(fields), text);
        return csvLine(fields);
    };
    std::string text = line(table.columns, &ReportColumn::key);
    for (const std::vector<ReportCell>& row : table.rows)
        text += line(row, &ReportCell::value);
    return text;
}

QString toMarkdown(const ReportTable& table)
{
    if (table.rows.empty())
        return Words::tr("none") + QLatin1Char('\n');
    QStringList heads, dashes;
    for (const ReportColumn& column : table.columns)
        if (!column.title.isEmpty()) {
            heads << inMarkdown(column.title);
            dashes << (column.isNumber ? QStringLiteral("--:") : QStringLiteral("---"));
        }
    QString text = markdownLine(heads) + markdownLine(dashes);
    for (const std::vector<ReportCell>& row : table.rows) {
        QStringList cells;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (!table.columns[i].title.isEmpty())
                cells << inMarkdown(row[i].shown);
        text += markdownLine(cells);
    }
    return text;
}

QString toText(const ReportTable& table)
{
    if (table.rows.empty())
        return Words::tr("none") + QLatin1Char('\n');
    std::vector<QStringList> lines(1);
    QList<qsizetype> widths;
    QList<bool> areNumbers;
    const auto add = [&](QStringList& line, const QString& cell) {
        widths[line.size()] = std::max(widths[line.size()], cell.size());
        line << cell;
    };
    for (const ReportColumn& column : table.columns)
        if (!column.title.isEmpty()) {
            widths << 0;
            areNumbers << column.isNumber;
            add(lines.front(), column.title);
        }
    for (const std::vector<ReportCell>& row : table.rows) {
        QStringList& line = lines.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i)
            if (!table.columns[i].title.isEmpty())
                add(line, row[i].shown);
    }
    QString text;
    for (const QStringList& line : lines) {
        QString spaced;
        for (qsizetype i = 0; i < line.size(); ++i) {
            spaced += i == 0 ? QString() : QStringLiteral("  ");
            spaced += areNumbers[i] ? line[i].rightJustified(widths[i]) : line[i].leftJustified(widths[i]);
        }
        while (spaced.endsWith(QLatin1Char(' ')))
            spaced.chop(1);
        text += spaced + QLatin1Char('\n');
    }
    return text;
}

} // namespace shardscope

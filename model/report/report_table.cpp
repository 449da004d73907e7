// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/report_table.h"

#include "interchange/csv_text.h"
#include "pipeline/collective_list.h"
#include "pipeline/planned_memory.h"
#include "schedule/plan.h"
#include "sharding/text.h"
#include "words/collective_words.h"
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
    return { bytes.denominator() == 1 ? std::to_string(bytes.numerator()) : std::to_string(bytes.value()),
        words::bytes(bytes) };
}

ReportCell shapeCell(std::span<const std::int64_t> shape)
{
    std::string sizes;
    for (const std::int64_t size : shape)
        sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
    return { sizes, words::shape(shape) };
}

std::string joinedNames(const std::vector<std::string>& names)
{
    std::string joined;
    for (std::size_t i = 0; i < names.size(); ++i)
        joined += (i == 0 ? "" : ",") + names[i];
    return joined;
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

ReportTable tensorsTable(const Snapshot& snapshot)
{
    ReportTable table{ Words::tr("Tensors"),
        { { "path", Words::tr("Tensor") }, { "role", Words::tr("Kind") }, { "dtype", Words::tr("Type") },
            { "shape", Words::tr("Shape") }, { "names", Words::tr("Dimensions") }, { "spec", Words::tr("Spec") },
            { "bytes_per_device", Words::tr("Per device"), true }, { "bytes", Words::tr("In all"), true },
            { "copies", Words::tr("Copies"), true } },
        {} };
    for (const TensorRow& row : snapshot.tensors)
        table.rows.push_back({ plainCell(row.path), { words::role(row.role).toStdString(), words::role(row.role) },
            plainCell(std::string(name(row.type.dtype))), shapeCell(row.type.shape),
            plainCell(joinedNames(row.dimNames)), { toJax(row.spec, false), words::specText(row) },
            bytesCell(row.bytesPerDevice), bytesCell(row.bytesInAll), numberCell(row.copies) });
    return table;
}

ReportTable collectivesTable(const Snapshot& snapshot)
{
    ReportTable table{ Words::tr("Collectives"),
        { { "number", QStringLiteral("#"), true }, { "kind", Words::tr("Collective") }, { "axes", Words::tr("Along") },
            { "tensor", Words::tr("Tensor") }, { "cause", Words::tr("Cause") },
            { "group_size", Words::tr("Devices of a group"), true },
            { "sent_bytes", Words::tr("Sent per device"), true }, { "times", Words::tr("Times"), true },
            { "sent_bytes_per_step", Words::tr("Per step"), true } },
        {} };
    if (!snapshot.collectives)
        return table;
    const CollectiveList& list = *snapshot.collectives;
    for (std::size_t i = 0; i < list.entries.size(); ++i) {
        const CollectiveEntry& entry = list.entries[i];
        const QString times = words::count(entry.times) + (entry.timesKnown ? QString() : QStringLiteral(" × ?"));
        table.rows.push_back({ numberCell(static_cast<std::int64_t>(i + 1)),
            { std::string(name(entry.kind)), words::collective(entry.kind) },
            plainCell(keyOf(entry, CollectiveKey::Axes)),
            plainCell(entry.value.valid() ? std::string(*list.program->value(entry.value).path) : std::string()),
            { words::causeName(entry).toStdString(), words::causeName(entry) }, numberCell(entry.groupSize),
            bytesCell(entry.sentBytes), { std::to_string(entry.times), times }, bytesCell(entry.sentPerStep()) });
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

const std::vector<std::string>& reportSubjectNames()
{
    static const std::vector<std::string> names{ "mesh", "rules", "tensors", "collectives", "memory", "problems" };
    return names;
}

ReportTable reportTable(const Snapshot& snapshot, ReportSubject subject)
{
    switch (subject) {
    case ReportSubject::Mesh:
        return meshTable(snapshot);
    case ReportSubject::Rules:
        return rulesTable(snapshot);
    case ReportSubject::Tensors:
        return tensorsTable(snapshot);
    case ReportSubject::Collectives:
        return collectivesTable(snapshot);
    case ReportSubject::Memory:
        return memoryTable(snapshot);
    case ReportSubject::Problems:
        return problemsTable(snapshot);
    }
    return {};
}

std::string toCsv(const ReportTable& table)
{
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        text += (i == 0 ? "" : ",") + table.columns[i].key;
    text += '\n';
    for (const std::vector<ReportCell>& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            text += (i == 0 ? "" : ",") + quoteCsv(row[i].value);
        text += '\n';
    }
    return text;
}

QString toMarkdown(const ReportTable& table)
{
    if (table.rows.empty())
        return Words::tr("none") + QLatin1Char('\n');
    QStringList heads, dashes;
    for (const ReportColumn& column : table.columns) {
        heads << inMarkdown(column.title);
        dashes << (column.isNumber ? QStringLiteral("--:") : QStringLiteral("---"));
    }
    QString text = markdownLine(heads) + markdownLine(dashes);
    for (const std::vector<ReportCell>& row : table.rows) {
        QStringList cells;
        for (const ReportCell& cell : row)
            cells << inMarkdown(cell.shown);
        text += markdownLine(cells);
    }
    return text;
}

} // namespace shardscope

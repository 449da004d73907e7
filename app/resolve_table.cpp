// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in report.h.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "analysis/resolve_arrays.h"
#include "base/codes.h"
#include "interchange/import.h"
#include "resolve.h"
#include "sharding/text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

/// One array of the table, resolved.
struct RowAnswer : ResolvedArray {
    const ParameterRow* row = nullptr;
};

struct TableAnswer {
    std::shared_ptr<const Annotations> annotations; ///< that the rows point into
    std::vector<RowAnswer> rows;
    std::vector<Diagnostic> problems;
    std::vector<std::int64_t> unusedRules; ///< by number; no finding, since a table seldom has all that rules are for
    std::vector<std::vector<std::int64_t>> unusedInner; ///< the same of the lists for parts
    std::int64_t bytesInAll = 0;
    std::int64_t bytesPerDevice = 0;
    std::int64_t replicatedBytes = 0; ///< of arrays that every device holds in full
    std::int64_t replicatedRows = 0;
    std::int64_t unplacedBytes = 0; ///< of arrays that cannot be laid out: in none of the other numbers
    std::int64_t unplacedRows = 0;
};

const LogicalRules& rulesFor(const Ruling& ruling, std::int32_t inner)
{
    return inner < 0 ? ruling.rules : ruling.inner[static_cast<std::size_t>(inner)].rules;
}

/// The ruling as the traces of arrays with that list read it.
Ruling rulingFor(const Ruling& ruling, std::int32_t inner)
{
    Ruling of = ruling;
    of.rules = rulesFor(ruling, inner);
    return of;
}

void sumUp(TableAnswer& answer)
{
    for (const RowAnswer& each : answer.rows) {
        const std::int64_t bytes = each.row->type.byteCount();
        if (!each.layout) {
            answer.unplacedBytes = saturatingSum(answer.unplacedBytes, bytes);
            ++answer.unplacedRows;
            continue;
        }
        answer.bytesInAll = saturatingSum(answer.bytesInAll, bytes);
        answer.bytesPerDevice = saturatingSum(answer.bytesPerDevice, each.bytesPerDevice);
        if (each.layout->distinctShards() == 1) {
            answer.replicatedBytes = saturatingSum(answer.replicatedBytes, bytes);
            ++answer.replicatedRows;
        }
    }
}

/// Findings about arrays get the line of their row, findings about rules the name of the rules.
void placeProblems(const std::string& table, const std::string& rules, TableAnswer& answer)
{
    std::map<std::string, const ParameterRow*> rows;
    for (const RowAnswer& each : answer.rows)
        rows.emplace(each.row->path, each.row);
    for (Diagnostic& problem : answer.problems) {
        Where& where = problem.where;
        if (const auto row = rows.find(where.path); row != rows.end()) {
            where.file = table;
            where.line = row->second->line;
            where.column = row->second->column;
            where.pointer.clear();
        } else if (where.file.empty()) {
            where.file = rules;
        }
    }
}

std::vector<std::int64_t> unusedOf(const RuleCensus::List& list)
{
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < list.rules.size(); ++i)
        if (list.rules[i].uses == 0 && list.rules[i].inactiveUses == 0)
            numbers.push_back(static_cast<std::int64_t>(i) + 1);
    return numbers;
}

Result<TableAnswer> resolveRows(const Ruling& ruling, const TableInput& input)
{
    Import import;
    import.dialect = ruling.dialect;
    import.rules = ruling.rules;
    import.inner = ruling.inner;
    import.mapping = ruling.mapping;
    import.mesh.assign(ruling.mesh->axes().begin(), ruling.mesh->axes().end());
    import.rows = input.table.rows;
    SHARDSCOPE_TRY(experiment, toExperiment(import));
    experiment->rules.version = ruling.version;
    experiment->rules.fallback = ruling.fallback;
    SHARDSCOPE_TRY(resolved, resolveArrays(*experiment, std::make_shared<const Mesh>(*ruling.mesh)));

    TableAnswer answer;
    answer.annotations = resolved->annotations;
    answer.problems = std::move(resolved->problems);
    answer.unusedRules = unusedOf(resolved->census.outer);
    for (const RuleCensus::List& list : resolved->census.inner)
        answer.unusedInner.push_back(unusedOf(list));
    for (std::size_t i = 0; i < input.table.rows.size(); ++i)
        answer.rows.push_back({ std::move(resolved->arrays[i]), &input.table.rows[i] });
    sumUp(answer);
    return answer;
}

Json rowJson(const RowAnswer& each)
{
    const ParameterRow& row = *each.row;
    Json names = Json::array();
    for (const LogicalName& name : row.names)
        names.push_back(name.kind == LogicalName::Kind::Name ? Json(name.name) : Json(nullptr));
    Json json{ { "path", row.path }, { "line", row.line }, { "dtype", name(row.type.dtype) },
        { "shape", sizesOf(row.type.shape) }, { "names", std::move(names) }, { "constrain", each.constrained } };
    if (each.annotation->resolution) {
        json["spec"] = toJax(each.spec, false);
        json["dimension_axes"] = axesJson(each.spec, row.type.rank());
    }
    json["dropped"] = droppedJson(each.dropped);
    json["bytes"] = row.type.byteCount();
    if (each.layout) {
        json["shard_shape"] = sizesOf(each.layout->shardShape());
        json["shards"] = each.layout->distinctShards();
        json["copies"] = each.layout->copies();
        json["bytes_per_device"] = each.bytesPerDevice;
    }
    return json;
}

Json tableJson(const ResolveOptions& options, const Ruling& ruling, const TableInput& input, const TableAnswer& answer)
{
    Json out = envelope(options.json);
    out["dialect"] = dialectName(ruling);
    out["mesh"] = toJson(*ruling.mesh);
    out["table"] = input.name;
    out["arrays"] = Json::array();
    for (const RowAnswer& each : answer.rows) {
        Json row = rowJson(each);
        if (options.trace && each.annotation->resolution)
            row["trace"] = traceJson(
                *each.annotation->resolution, each.row->names, rulingFor(ruling, each.annotation->innerRules));
        if (each.annotation->innerRules >= 0)
            row["within"] = ruling.inner[static_cast<std::size_t>(each.annotation->innerRules)].within;
        out["arrays"].push_back(std::move(row));
    }
    out["bytes"] = answer.bytesInAll;
    out["bytes_per_device"] = answer.bytesPerDevice;
    out["replicated"] = { { "array_count", answer.replicatedRows }, { "bytes", answer.replicatedBytes } };
    out["not_laid_out"] = { { "array_count", answer.unplacedRows }, { "bytes", answer.unplacedBytes } };
    if (ruling.partitioner)
        out["partitioner"] = partitionerJson(ruling);
    out["unused_rules"] = answer.unusedRules;
    if (!ruling.inner.empty()) {
        out["unused_inner_rules"] = Json::array();
        for (std::size_t i = 0; i < ruling.inner.size(); ++i)
            out["unused_inner_rules"].push_back(
                { { "within", ruling.inner[i].within }, { "list", answer.unusedInner[i] } });
    }
    out["problems"] = toJson(answer.problems);
    return out;
}

/// "[embed 1024, mlp 4096]"
QString shapeText(const ParameterRow& row)
{
    QStringList parts;
    for (std::size_t i = 0; i < row.type.rank(); ++i) {
        const QString size = QString::number(row.type.shape[i]);
        parts << (row.names[i].kind == LogicalName::Kind::Name
                ? words::fromStd(row.names[i].name) + QLatin1Char(' ') + size
                : size);
    }
    return QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

void printRows(Console& console, const Ruling& ruling, const TableAnswer& answer)
{
    const bool parts = !ruling.inner.empty();
    Table table{ "Array", "Type", "Shape", "Spec", "Per device", "Bytes per device>", "Copies>" };
    if (parts)
        table.columns.push_back({ QStringLiteral("By the rules within") });
    for (const RowAnswer& each : answer.rows) {
        const bool placed = each.layout.has_value();
        table.rows.push_back(
            { words::fromStd(each.row->path), words::fromStd(name(each.row->type.dtype)), shapeText(*each.row),
                !each.annotation->resolution ? QStringLiteral("error")
                    : each.constrained       ? words::fromStd(toColumn(each.spec))
                                             : QStringLiteral("left alone"),
                placed ? words::shape(each.layout->shardShape()) : QString(),
                placed ? words::bytes(static_cast<double>(each.bytesPerDevice)) : QString(),
                placed ? QString::number(each.layout->copies()) : QString() });
        if (parts)
            table.rows.back().push_back(each.annotation->innerRules < 0
                    ? QStringLiteral("-")
                    : words::fromStd(ruling.inner[static_cast<std::size_t>(each.annotation->innerRules)].within));
    }
    console.table(table, {});
}

/// Arrays with the same names and the same rules have the same trace.
void printTraces(Console& console, const Ruling& ruling, const TableAnswer& answer)
{
    std::vector<std::pair<const RowAnswer*, int>> kinds;
    for (const RowAnswer& each : answer.rows) {
        if (!each.annotation->resolution || each.row->names.empty())
            continue;
        const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
            return kind.first->row->names == each.row->names
                && kind.first->annotation->innerRules == each.annotation->innerRules;
        });
        if (known == kinds.end())
            kinds.emplace_back(&each, 1);
        else
            ++known->second;
    }
    for (const auto& [each, count] : kinds) {
        QString heading = count == 1
            ? words::fromStd(each->row->path)
            : QStringLiteral("%1 and %2 more").arg(words::fromStd(each->row->path), QString::number(count - 1));
        if (const std::int32_t inner = each->annotation->innerRules; inner >= 0)
            heading += QStringLiteral(", by the rules within %1")
                           .arg(words::fromStd(ruling.inner[static_cast<std::size_t>(inner)].within));
        console.heading(heading);
        console.table(traceTable(
            each->row->names, rulingFor(ruling, each->annotation->innerRules), *each->annotation->resolution));
    }
}

void printSum(Console& console, const TableAnswer& answer, const Ruling& ruling)
{
    const auto bytes = [](std::int64_t number) { return words::bytes(static_cast<double>(number)); };
    console.line();
    const std::int64_t placed = static_cast<std::int64_t>(answer.rows.size()) - answer.unplacedRows;
    console.line(
        QStringLiteral("%1 of %2; each of %3 holds %4")
            .arg(words::counted(placed, words::Noun::Array), bytes(answer.bytesInAll),
                words::counted(ruling.mesh->deviceCount(), words::Noun::Device), bytes(answer.bytesPerDevice)));
    if (answer.unplacedRows > 0)
        console.line(QStringLiteral("%1 cannot be laid out: %2 not counted")
                         .arg(words::counted(answer.unplacedRows, words::Noun::Array), bytes(answer.unplacedBytes)),
            Emphasis::Warning);
    if (answer.replicatedRows > 0)
        console.line(answer.replicatedRows == 1
                ? QStringLiteral("one of them is replicated: %1").arg(bytes(answer.replicatedBytes))
                : QStringLiteral("%1 of them are replicated: %2")
                      .arg(answer.replicatedRows)
                      .arg(bytes(answer.replicatedBytes)),
            Emphasis::Faint);
    if (ruling.partitioner)
        console.line(partitionerText(ruling), Emphasis::Faint);
    std::size_t unused = answer.unusedRules.size(), all = ruling.rules.list.size();
    for (std::size_t i = 0; i < ruling.inner.size(); ++i) {
        unused += answer.unusedInner[i].size();
        all += ruling.inner[i].rules.list.size();
    }
    if (unused > 0)
        console.line(QStringLiteral("%1 of %2 %3 nothing here")
                         .arg(unused)
                         .arg(words::counted(static_cast<qint64>(all), words::Noun::Rule))
                         .arg(unused == 1 ? QStringLiteral("shards") : QStringLiteral("shard")),
            Emphasis::Faint);
}

} // namespace

int resolveTable(const ResolveOptions& options, const Ruling& ruling)
{
    auto input = readTableInput(options.table);
    if (!input) {
        // T5X says of names that cannot be resolved which parameter has them.
        for (Diagnostic& error : input.error())
            if (ruling.partitioner && error.code == Code::DuplicateDimension && !error.where.path.empty()) {
                const Where where = error.where;
                error = failedToMap(where.path, error);
                error.where = where;
            }
        return reject(options.json, input.error());
    }
    Result<TableAnswer> answer = resolveRows(ruling, *input);
    if (!answer) {
        Diagnostic error = answer.error();
        if (error.where.file.empty())
            error.where.file = error.where.path.empty() ? ruling.name : input->name;
        return reject(options.json, { std::move(error) });
    }
    placeProblems(input->name, ruling.name, *answer);
    answer->problems = withWarnings(ruling, std::move(answer->problems));
    answer->problems.insert(answer->problems.begin(), input->table.warnings.begin(), input->table.warnings.end());
    const int status = statusOf(answer->problems);
    if (!options.json.empty())
        return emitJson(tableJson(options, ruling, *input, *answer), options.json, status);
    Console console;
    if (options.trace)
        printTraces(console, ruling, *answer);
    printRows(console, ruling, *answer);
    printSum(console, *answer, ruling);
    console.flush();
    if (!answer->problems.empty()) {
        Console errors(stderr);
        print(errors, answer->problems);
    }
    return status;
}

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_rules.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "input.h"
#include "program/factor_rule_text.h"
#include "program/op_row.h"
#include "program_input.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct Line {
    const Operation* operation = nullptr;
    std::string function;
    int depth = 0; ///< of regions in the function
    std::string rule; ///< empty for an operation that has none
    bool custom = false; ///< somebody gave it to the operation
};

void collect(const Program& program, const Region& region, const std::string& function, int depth, RuleOptions options,
    std::vector<Line>& lines)
{
    for (const OperationId id : region.operations) {
        const Operation& operation = program.operation(id);
        lines.push_back({ &operation, function, depth, toString(factorRule(program, operation, options)),
            attachedRule(program, operation).has_value() });
        for (const RegionId inner : operation.regions)
            collect(program, program.regions[inner.index], function, depth + 1, options, lines);
    }
}

std::vector<Line> linesOf(const Program& program, RuleOptions options)
{
    std::vector<Line> lines;
    if (program.functions.empty())
        collect(program, program.main(), "main", 0, options, lines);
    for (const Function& function : program.functions)
        collect(program, program.regions[function.body.index], function.name, 0, options, lines);
    return lines;
}

Json lineJson(const Program& program, const Line& line)
{
    const SourcePlace& place = program.sources[line.operation->source];
    Json json{ { "line", place.line }, { "column", place.column }, { "function", line.function },
        { "op", qualifiedName(*line.operation) }, { "depth", line.depth } };
    json["custom"] = line.custom;
    json["factor_rule"] = line.rule.empty() ? Json(nullptr) : Json(line.rule);
    return json;
}

} // namespace

int printProgramRules(const std::string& file, bool conservative, const JsonTarget& json)
{
    const std::string name = shownName(file);
    const auto loaded = loadGiven(file);
    if (!loaded)
        return refuse(json, loaded.error());
    const Program& program = loaded->program;
    const std::vector<Line> lines = linesOf(program, { conservative });
    if (!json.empty()) {
        Json out = envelope(json);
        out["problems"] = toJson(loaded->problems);
        out["conservative"] = conservative;
        out["operations"] = Json::array();
        for (const Line& line : lines)
            out["operations"].push_back(lineJson(program, line));
        return emitJson(out, json, Done);
    }
    Console console;
    std::string function;
    Table table;
    const bool anyCustom = std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.custom; });
    const auto flush = [&] {
        if (!table.rows.empty()) {
            console.heading(QStringLiteral("@") + QString::fromStdString(function));
            console.table(table);
        }
        table = Table{ "Line>", "Operation" };
        if (anyCustom)
            table.columns.push_back({ QStringLiteral("Given") });
        table.columns.push_back({ QStringLiteral("Rule") });
    };
    flush();
    for (const Line& line : lines) {
        if (line.function != function) {
            flush();
            function = line.function;
        }
        const QString op(
            QString(2 * line.depth, QLatin1Char(' ')) + QString::fromStdString(qualifiedName(*line.operation)));
        const auto place = program.sources[line.operation->source].line; // 0 in a built-in network
        QStringList row{ place == 0 ? QString() : QString::number(place), op };
        if (anyCustom)
            row << (line.custom ? QStringLiteral("custom") : QString());
        table.rows.push_back(row << (line.rule.empty() ? QStringLiteral("-") : QString::fromStdString(line.rule)));
    }
    flush();
    if (lines.empty())
        console.line(QString::fromStdString(name) + QStringLiteral(": no operations"));
    return Done;
}

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_rules.h"

#include <algorithm>

#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "input.h"
#include "program/factor_rule_text.h"
#include "program/op_row.h"
#include "program/verify_shardings.h"
#include "stablehlo/read.h"
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

Json toJson(const Program& program, const Line& line)
{
    const SourcePlace& place = program.sources[line.operation->source];
    Json json{ { "line", place.line }, { "column", place.column }, { "function", line.function },
        { "op", qualifiedName(*line.operation) }, { "depth", line.depth } };
    json["custom"] = line.custom;
    json["rule"] = line.rule.empty() ? Json(nullptr) : Json(line.rule);
    return json;
}

/// The program of a text, or of an experiment with the rules that it has for operations. Everything that is wrong with
/// it otherwise.
tl::expected<Program, std::vector<Diagnostic>> load(const std::string& file, const std::string& name)
{
    std::vector<Diagnostic> wrong;
    Program program;
    if (file.ends_with(".json")) {
        auto input = loadExperiment(file);
        if (!input)
            return tl::unexpected(std::move(input.error()));
        Result<BuiltProgram> built = buildProgram(input->experiment);
        if (!built)
            return tl::unexpected(std::vector<Diagnostic>{ std::move(built.error()) });
        program = std::move(built->program);
        if (const auto* model = std::get_if<ProgramModel>(&input->experiment.model))
            wrong = attachRules(program, *model);
    } else {
        const Result<std::string> text = readText(file, maximumText);
        if (!text)
            return tl::unexpected(std::vector<Diagnostic>{ text.error() });
        Result<ReadProgram> read = readStableHlo(*text);
        if (!read) {
            read.error().where.file = name;
            return tl::unexpected(std::vector<Diagnostic>{ std::move(read.error()) });
        }
        program = std::move(read->program);
    }
    if (wrong.empty())
        wrong = verify(program);
    if (wrong.empty())
        wrong = verifyShardings(program); // rules that somebody attached may be illegal
    for (Diagnostic& one : wrong)
        one.where.file = name;
    if (!wrong.empty())
        return tl::unexpected(std::move(wrong));
    return program;
}

} // namespace

int printProgramRules(const std::string& file, bool conservative, const JsonTarget& json)
{
    const std::string name = file == "-" ? "standard input" : file;
    const auto loaded = load(file, name);
    if (!loaded)
        return reject("rules", json, loaded.error());
    const Program& program = *loaded;
    const std::vector<Line> lines = linesOf(program, { conservative });
    if (!json.empty()) {
        Json out = envelope("rules");
        out["input"] = { { "name", name } };
        out["conservative"] = conservative;
        out["operations"] = Json::array();
        for (const Line& line : lines)
            out["operations"].push_back(toJson(program, line));
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
        table = { { { QStringLiteral("Line"), true }, { QStringLiteral("Operation") } }, {} };
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
        QStringList row{ QString::number(program.sources[line.operation->source].line), op };
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

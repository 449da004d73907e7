// SPDX-License-Identifier: GPL-3.0-or-later
// The command rules, declared in commands.h.
#include <QFileInfo>
#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "document/program_file.h"
#include "experiment_file/gallery.h"
#include "input.h"
#include "interchange/rule_text.h"
#include "program/factor_rule_text.h"
#include "program/op_row.h"
#include "program_input.h"
#include "report.h"
#include "resolve.h"
#include "rules/published_rules.h"
#include "sharding/text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct Line {
    const Operation* operation = nullptr;
    std::string function;
    int depth = 0; ///< of regions in the function
    std::string rule; ///< empty for an operation that has none
    bool custom = false; ///< stated by the text, of this operation alone
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

/// Prints the rule of each operation in Shardy's notation, in the order of the text. Returns the exit code.
int printProgramRules(const std::string& file, bool conservative, const JsonTarget& json)
{
    const std::string name = shownName(file);
    const auto loaded = loadSpecified(file);
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
            table.columns.push_back({ QStringLiteral("Source") });
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

Json setJson(const PublishedRules& set)
{
    Json json{ { "id", set.id }, { "project", set.project }, { "title", set.title }, { "source", set.source },
        { "dialect", name(set.dialect) }, { "mesh_axes", set.meshAxes } };
    if (!set.note.empty())
        json["note"] = set.note;
    if (!set.overrides.empty())
        json["overrides"] = set.overrides;
    return json;
}

Json pairsJson(const LogicalRules& rules)
{
    Json json = Json::array();
    for (const LogicalRule& rule : rules.list) {
        const std::vector<std::string>& axes = rule.target.axes;
        Json target = rule.target.kind == SpecEntry::Kind::None ? Json(nullptr)
            : rule.target.kind == SpecEntry::Kind::Single       ? Json(axes.front())
                                                                : Json(axes);
        json.push_back(Json::array({ rule.name.name, std::move(target) }));
    }
    return json;
}

int listRules(const JsonTarget& json)
{
    if (!json.empty()) {
        Json out = envelope(json);
        out["rule_sets"] = Json::array();
        for (const PublishedRules& set : publishedRules())
            out["rule_sets"].push_back(setJson(set));
        return emitJson(out, json, Done);
    }
    Table table{ "Id", "Project", "Title", "Rules>", "Mesh axes>" };
    for (const PublishedRules& set : publishedRules())
        table.rows.push_back({ words::fromStd(set.id), words::fromStd(set.project), words::fromStd(set.title),
            QString::number(set.rules.list.size()), QString::number(set.meshAxes.size()) });
    Console().table(table, {});
    return Done;
}

int printRules(const std::string& id, const JsonTarget& json)
{
    const Result<RulesInput> known = publishedInput(id, "rule set");
    if (!known)
        return reject(json, { known.error() });
    const PublishedRules& set = *findPublishedRules(id);
    if (!json.empty()) {
        Json out = envelope(json);
        out["rule_set"] = setJson(set);
        out["rule_set"]["pairs"] = pairsJson(set.rules);
        return emitJson(out, json, Done);
    }
    Console console;
    const auto comment = [&](const std::string& text) {
        if (!text.empty())
            console.line(QStringLiteral("# ") + words::fromStd(text));
    };
    comment(set.project + ", " + set.title);
    comment(set.source);
    comment(set.note);
    if (!set.overrides.empty())
        comment("Overrides of " + set.overrides);
    QStringList axes;
    for (const std::string& axis : set.meshAxes)
        axes << words::fromStd(axis);
    console.line(QStringLiteral("# mesh axes: ") + axes.join(QStringLiteral(", ")));
    console.lines(words::fromStd(toPythonSource(set.rules, "rules")).trimmed().split(QLatin1Char('\n')));
    return Done;
}

/// Rule sets have names without dots and slashes. Where an example has the name of a set, the set is meant.
bool isProgram(const std::string& what)
{
    return what == "-" || isProgramFile(QString::fromStdString(what)) || what.ends_with(".json")
        || what.find('/') != std::string::npos || QFileInfo::exists(QString::fromStdString(what))
        || (!findPublishedRules(what) && findExample(what));
}

} // namespace

void addRules(CLI::App& app, int& status)
{
    struct Options {
        std::string id;
        bool conservative = false;
        JsonTarget json;
    };
    Command command(app, "rules",
        "Print the factor rules of a program's operations, or list or print rule sets of published projects");
    command.footer(
        "Exit codes: 0 done; 1 the experiment has errors; 2 arguments, input or output that cannot be used.");
    const auto options = std::make_shared<Options>();
    command.addOption("WHAT", options->id,
        "A program in StableHLO text (.mlir) or HLO text (.hlo), an experiment (.json) or a built-in example, - for "
        "standard input, or the rule set to print, as Python source");
    command.addFlag("--conservative", options->conservative, "Rules of conservative propagation, for a program");
    command.addJson(options->json);
    command.setInput(options->id);
    command.run(status, [options] {
        const std::string& what = options->id;
        return what.empty()   ? listRules(options->json)
            : isProgram(what) ? printProgramRules(what, options->conservative, options->json)
                              : printRules(what, options->json);
    });
}

} // namespace shardscope::cli

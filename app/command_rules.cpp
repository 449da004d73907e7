// SPDX-License-Identifier: GPL-3.0-or-later
// The command rules, declared in commands.h.
#include <QFileInfo>
#include <memory>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "document/program_file.h"
#include "experiment_file/gallery.h"
#include "interchange/rule_text.h"
#include "program_rules.h"
#include "resolve.h"
#include "rules/published_rules.h"
#include "sharding/text.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

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

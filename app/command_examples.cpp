// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>

#include "base/codes.h"
#include "commands.h"
#include "experiment/builtin.h"
#include "experiment_file/experiment_file.h"
#include "report.h"

namespace shardscope::cli {

namespace {

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

int listExamples(const JsonTarget& json)
{
    if (json.empty()) {
        Table table{ { { QStringLiteral("Id") }, { QStringLiteral("Title") }, { QStringLiteral("Question") } }, {} };
        for (const Example& example : builtinExamples())
            table.rows.push_back({ text(example.id), text(example.title), text(example.question) });
        Console().table(table, {});
        return Done;
    }
    Json out = envelope("examples");
    out["examples"] = Json::array();
    for (const Example& example : builtinExamples())
        out["examples"].push_back(
            { { "id", example.id }, { "title", example.title }, { "question", example.question } });
    return emitJson(out, json, Done);
}

int printExample(const std::string& id, const JsonTarget& json)
{
    std::vector<std::string> known;
    for (const Example& example : builtinExamples()) {
        known.emplace_back(example.id);
        if (example.id != id)
            continue;
        const std::string file = writeExperiment(example.make());
        if (json.empty()) {
            writeTo(stdout, file);
            return Done;
        }
        Json out = envelope("examples");
        out["id"] = id;
        out["experiment"] = Json::parse(file);
        return emitJson(out, json, Done);
    }
    std::vector<Arg> args{ { "key", "example" }, { "value", id }, { "known", known } };
    if (std::string nearest = nearestName(id, known); !nearest.empty())
        args.emplace_back("nearest", std::move(nearest));
    return reject("examples", json, { { Code::UnknownValue, std::move(args), {} } });
}

} // namespace

void addExamples(CLI::App& app, int& status)
{
    struct Options {
        std::string id;
        JsonTarget json;
    };
    CLI::App* command = app.add_subcommand("examples", "List the built-in experiments, or print one as a file");
    const auto options = std::make_shared<Options>();
    command->add_option("ID", options->id, "The example to print; without it all are listed");
    addJson(*command, options->json);
    command->footer("Exit codes: 0 done; 2 arguments or output that cannot be used.");
    command->callback([options, &status] {
        status = options->id.empty() ? listExamples(options->json) : printExample(options->id, options->json);
    });
}

} // namespace shardscope::cli

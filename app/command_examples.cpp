// SPDX-License-Identifier: GPL-3.0-or-later
// The command examples, declared in commands.h.
#include <memory>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "experiment_file/gallery.h"
#include "report.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

QString groupTitle(std::string_view id)
{
    for (const ExampleGroup& group : exampleGroups())
        if (group.id == id)
            return words::fromStd(group.title);
    return words::fromStd(id);
}

int listExamples(const JsonTarget& json)
{
    if (json.empty()) {
        Table table{ "Id", "From", "Question" };
        for (const GalleryExample& example : gallery())
            table.rows.push_back(
                { words::fromStd(example.id), groupTitle(example.group), words::fromStd(example.question) });
        Console().table(table, {});
        return Done;
    }
    Json out = envelope(json);
    out["examples"] = Json::array();
    for (const GalleryExample& example : gallery())
        out["examples"].push_back({ { "id", example.id }, { "group", example.group },
            { "title", example.experiment.title }, { "question", example.question } });
    return emitJson(out, json, Done);
}

int printExample(const std::string& id, const JsonTarget& json)
{
    if (const GalleryExample* example = findExample(id)) {
        if (json.empty()) {
            writeTo(stdout, example->text);
            return Done;
        }
        Json out = envelope(json);
        out["id"] = id;
        out["experiment"] = Json::parse(example->text);
        return emitJson(out, json, Done);
    }
    std::vector<std::string> known;
    for (const GalleryExample& example : gallery())
        known.emplace_back(example.id);
    return reject(json,
        { { Code::UnknownValue, withNearest({ { "key", "example" }, { "value", id }, { "known", known } }, id, known),
            {} } });
}

} // namespace

void addExamples(CLI::App& app, int& status)
{
    struct Options {
        std::string id;
        JsonTarget json;
    };
    Command command(app, "examples", "List the built-in experiments, or print one as a file");
    const auto options = std::make_shared<Options>();
    command.addOption("ID", options->id, "The example to print; without it all are listed");
    command.addJson(options->json);
    command.setInput(options->id);
    command.footer("Exit codes: 0 done; 2 arguments or output that cannot be used.");
    command.run(status, [options] {
        return options->id.empty() ? listExamples(options->json) : printExample(options->id, options->json);
    });
}

} // namespace shardscope::cli

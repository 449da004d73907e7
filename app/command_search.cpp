// SPDX-License-Identifier: GPL-3.0-or-later
// The command search, declared in commands.h.
#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "analysis/mesh_search.h"
#include "command.h"
#include "commands.h"
#include "input.h"
#include "progress.h"
#include "report.h"
#include "words/mesh_search_words.h"
#include "words/utf8.h"

namespace shardscope::cli {

namespace {

struct SearchOptions {
    std::string file;
    JsonTarget json;
};

Json meshOfAxes(const std::vector<MeshAxis>& axes)
{
    const Result<Mesh> mesh = Mesh::create(axes);
    return mesh ? toJson(*mesh) : Json(nullptr);
}

Json sentJson(const std::optional<Rational>& sent)
{
    return sent ? toJson(*sent) : Json(nullptr);
}

Json foundJson(const FoundMeshes& found)
{
    Json meshes = Json::array(), batches = Json::array();
    for (const MeshFigures& each : found.meshes) {
        Json row{ { "mesh", meshOfAxes(each.axes) }, { "state_bytes", nullptr },
            { "sent_bytes", sentJson(each.sentBytes) }, { "is_front", each.isFront() }, { "beaten_by", nullptr } };
        if (each.stateBytes)
            row["state_bytes"] = *each.stateBytes;
        if (each.beatenBy)
            row["beaten_by"] = meshOfAxes(found.meshes[*each.beatenBy].axes);
        if (each.problem)
            row["why_not"] = words::describe(*each.problem).cause.toStdString();
        meshes.push_back(std::move(row));
    }
    for (const BatchFigures& each : found.batches)
        batches.push_back({ { "batch_size", each.batch },
            { "mesh", each.least ? meshOfAxes(found.compared[*each.least].axes) : Json(nullptr) },
            { "sent_bytes", sentJson(each.sentLeast) }, { "sent_bytes_now", sentJson(each.sentNow) } });
    return { { "meshes", std::move(meshes) }, { "batches", std::move(batches) } };
}

void printFound(const FoundMeshes& found, const std::vector<MeshAxis>& present)
{
    const auto sentText = [](const std::optional<Rational>& sent) {
        return sent ? words::bytes(*sent) : QStringLiteral("-");
    };
    Console console;
    Table meshes{ "Mesh", "State per device>", "Sent per step>", "Among them" };
    for (std::size_t i = 0; i < found.meshes.size(); ++i) {
        const MeshFigures& each = found.meshes[i];
        meshes.rows.push_back(
            { words::meshNames(each.axes) + (each.axes == present ? QStringLiteral(" (the experiment's)") : QString()),
                each.stateBytes ? words::bytes(static_cast<double>(*each.stateBytes)) : QStringLiteral("-"),
                sentText(each.sentBytes), words::meshVerdict(found.meshes, i) });
    }
    if (found.meshes.empty()) {
        console.line(QStringLiteral("There are too many meshes of as many devices to try all of them."));
        return;
    }
    console.table(meshes, {});
    if (found.batches.empty())
        return;
    console.line();
    Table batches{ "Batch>", "Sends least", "Sent per step>", "On the experiment's mesh>" };
    for (const BatchFigures& each : found.batches)
        batches.rows.push_back({ words::count(each.batch),
            each.least ? words::meshNames(found.compared[*each.least].axes) : QStringLiteral("-"),
            sentText(each.sentLeast), sentText(each.sentNow) });
    console.table(batches, {});
    if (const QString sentence = words::batchSensitivity(found.batches, found.compared); !sentence.isEmpty()) {
        console.line();
        console.line(sentence);
    }
}

int searchForMeshes(const SearchOptions& options)
{
    Progress progress("search");
    progress.now(QStringLiteral("reading %1").arg(words::fromStd(shownName(options.file))));
    const auto input = loadExperiment(options.file);
    if (!input) {
        progress.end();
        return reject(options.json, input.error());
    }
    progress.now(QStringLiteral("analysing the experiment on other meshes"));
    AnalysisCache cache;
    const FoundMeshes found = findMeshes(input->experiment, cache);
    progress.end();
    const bool any = std::any_of(
        found.meshes.begin(), found.meshes.end(), [](const MeshFigures& each) { return each.stateBytes.has_value(); });
    const int status = any ? Done : Findings;
    if (!options.json.empty()) {
        Json out = envelope(options.json, *input);
        out.update(foundJson(found));
        out["problems"] = toJson(input->warnings);
        return emitJson(out, options.json, status);
    }
    printFound(found, input->experiment.mesh.axes);
    Console errors(stderr);
    print(errors, input->warnings);
    return status;
}

} // namespace

void addSearch(CLI::App& app, int& status)
{
    Command command(app, "search",
        "Try every other mesh of as many devices: what is held and sent, and which sends least as the batch grows");
    const auto options = std::make_shared<SearchOptions>();
    command.addFile(options->file);
    command.addJson(options->json);
    command.footer(
        "On the front are meshes that no other one beats: none both sends and holds less.\n"
        "The axes keep their names and their order.\n"
        "Exit codes: 0 done; 1 no mesh can be laid out, or there are too many; 2 arguments, input or output that\n"
        "cannot be used.");
    command.run(status, [options] { return searchForMeshes(*options); });
}

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// The command search, declared in commands.h.
#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "analysis/mesh_search.h"
#include "base/text.h"
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
    bool all = false;
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
        Json row{ { "mesh", meshOfAxes(each.axes) }, { "state_and_gradient_bytes", nullptr }, { "peak_bytes", nullptr },
            { "sent_bytes", sentJson(each.sentBytes) }, { "is_front", each.isFront() }, { "beaten_by", nullptr } };
        if (each.stateBytes)
            row["state_and_gradient_bytes"] = *each.stateBytes;
        if (each.peakBytes)
            row["peak_bytes"] = *each.peakBytes;
        if (each.dominatedBy)
            row["beaten_by"] = meshOfAxes(found.meshes[*each.dominatedBy].axes);
        if (each.problem)
            row["why_not"] = words::describe(*each.problem).cause.toStdString();
        meshes.push_back(std::move(row));
    }
    for (const BatchFigures& each : found.batches) {
        Json row{ { "batch_size", each.batch },
            { "mesh", each.least ? meshOfAxes(found.compared[*each.least].axes) : Json(nullptr) },
            { "sent_bytes", sentJson(each.sentLeast) }, { "sent_bytes_now", sentJson(each.sentNow) } };
        if (each.problemNow)
            row["why_not_now"] = words::describe(*each.problemNow).cause.toStdString();
        for (const BatchChange& change : each.changes)
            row["changes"].push_back(
                { { "from_batch_size", change.from }, { "mesh", meshOfAxes(found.compared[change.least].axes) } });
        if (each.problem)
            row["why_not"] = words::describe(*each.problem).cause.toStdString();
        batches.push_back(std::move(row));
    }
    TriedAxes axes = triedAxes(found.meshes);
    return { { "meshes", std::move(meshes) }, { "batches", std::move(batches) },
        { "axes_tried", std::move(axes.tried) }, { "axes_left_at_one", std::move(axes.left) } };
}

QString heldText(const std::optional<std::int64_t>& bytes)
{
    return bytes ? words::bytes(static_cast<double>(*bytes)) : QStringLiteral("-");
}

QString sentText(const std::optional<Rational>& sent)
{
    return sent ? words::bytes(*sent) : QStringLiteral("-");
}

/// The front and what comes next; the experiment's own mesh wherever it stands.
void printMeshes(Console& console, const FoundMeshes& found, const std::vector<MeshAxis>& present, bool all)
{
    constexpr std::size_t most = 16;
    Table meshes{ "Mesh", "State and gradients>", "Peak>", "Sent per step>", "Verdict" };
    for (std::size_t i = 0; i < found.meshes.size(); ++i) {
        const MeshFigures& each = found.meshes[i];
        const bool isPresent = each.axes == present;
        if (!all && i >= most && !each.isFront() && !isPresent)
            continue;
        meshes.rows.push_back(
            { words::meshNames(each.axes) + (isPresent ? QStringLiteral(" (the experiment's)") : QString()),
                heldText(each.stateBytes), heldText(each.peakBytes), sentText(each.sentBytes),
                words::meshReason(found.meshes, i) });
    }
    console.foldedTable(meshes, {});
    console.more(static_cast<std::int64_t>(found.meshes.size() - meshes.rows.size()), " (--all)");
    if (std::none_of(found.meshes.begin(), found.meshes.end(), [](const MeshFigures& each) { return !each.problem; }))
        console.line(QStringLiteral("None of the meshes can be used."));
    if (const TriedAxes axes = triedAxes(found.meshes); !axes.tried.empty() && !axes.left.empty())
        console.line(
            QStringLiteral("Devices were given to %1; of size 1 in every mesh: %2. An axis whose size is above 1 in "
                           "the experiment always takes part.")
                .arg(words::fromStd(join(axes.tried, ", ")), words::fromStd(join(axes.left, ", "))));
}

void printBatches(Console& console, const FoundMeshes& found)
{
    Table batches{ "Batch>", "Sends least", "Sent per step>", "On the experiment's mesh>" };
    for (const BatchFigures& each : found.batches)
        if (each.least)
            batches.rows.push_back({ words::count(each.batch), words::meshNames(found.compared[*each.least].axes),
                sentText(each.sentLeast), words::sentNow(each) });
    console.line();
    if (!batches.rows.empty())
        console.table(batches, {});
    for (const QString& line : words::batchProblems(found.batches, found.compared))
        console.line(line);
    QStringList sentences{ words::batchSensitivity(found.batches, found.compared), words::meshesOfBatches(found) };
    sentences.removeAll(QString());
    if (!sentences.isEmpty()) {
        console.line();
        console.line(sentences.join(QLatin1Char(' ')));
    }
}

void printFound(const FoundMeshes& found, const std::vector<MeshAxis>& present, bool all)
{
    Console console;
    if (found.meshes.empty()) {
        console.line(QStringLiteral("There are too many meshes of as many devices to try all of them."));
        return;
    }
    printMeshes(console, found, present, all);
    if (!found.batches.empty())
        printBatches(console, found);
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
    printFound(found, input->experiment.mesh.axes, options.all);
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
    command.addFlag("--all", options->all, "Print every mesh, not only the first 16");
    command.addJson(options->json);
    command.footer(
        "On the front are meshes that no other one beats: none both sends and holds less. They stand first, then\n"
        "what sends least; what does not fit the memory of a device, or cannot be used for another reason, is last.\n"
        "The axes keep their names and their order.\n"
        "Exit codes: 0 done; 1 no mesh can be laid out, or there are too many; 2 arguments, input or output that\n"
        "cannot be used.");
    command.run(status, [options] { return searchForMeshes(*options); });
}

} // namespace shardscope::cli

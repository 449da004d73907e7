// SPDX-License-Identifier: GPL-3.0-or-later
// The command diff, declared in commands.h.
#include <memory>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "analysis/change.h"
#include "command.h"
#include "commands.h"
#include "experiment_file/differences.h"
#include "input.h"
#include "report.h"
#include "schedule/plan.h"
#include "sharding/text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct DiffOptions {
    std::string before, after;
    JsonTarget json;
};

/// One line of the comparison. Without `before` it is new, without `after` it is gone.
struct Difference {
    std::string section; ///< "mesh", "shardings", "bytes"
    std::string path; ///< of a setting in the file, or of an array
    std::optional<std::string> before, after;
};

/// "P('data', None), 2 shards of [4, 8], f32"
std::string rowText(const TensorRow& row)
{
    return toJax(row.spec, false) + ", " + std::string(name(row.type.dtype)) + ' '
        + words::shape(row.type.shape).toStdString() + " as " + words::shape(row.layout.shardShape()).toStdString()
        + ", " + words::bytes(static_cast<double>(row.bytesPerDevice)).toStdString() + " per device";
}

void addShardings(std::vector<Difference>& found, const Snapshot& before, const Snapshot& after)
{
    std::unordered_map<std::string_view, const TensorRow*> olds;
    for (const TensorRow& row : before.tensors)
        olds.emplace(row.path, &row);
    for (const TensorRow& row : after.tensors) {
        const auto old = olds.find(row.path);
        if (old == olds.end()) {
            found.push_back({ "shardings", row.path, {}, rowText(row) });
            continue;
        }
        if (std::string was = rowText(*old->second), is = rowText(row); was != is)
            found.push_back({ "shardings", row.path, std::move(was), std::move(is) });
        olds.erase(old);
    }
    for (const TensorRow& row : before.tensors)
        if (olds.contains(row.path))
            found.push_back({ "shardings", row.path, rowText(row), {} });
}

void addBytes(std::vector<Difference>& found, const Snapshot& before, const Snapshot& after)
{
    const auto add = [&](const char* path, const auto& value) {
        const std::optional<std::string> was = value(before), is = value(after);
        if (was != is)
            found.push_back({ "bytes", path, was, is });
    };
    add("state per device",
        [](const Snapshot& s) -> std::optional<std::string> { return exactBytes(stateBytes(s)).toStdString(); });
    add("peak per device", [](const Snapshot& s) -> std::optional<std::string> {
        return s.ok() ? std::optional(exactBytes(s.plan->memory.peakBytes).toStdString()) : std::nullopt;
    });
    add("sent per device and step", [](const Snapshot& s) -> std::optional<std::string> {
        return s.ok() ? std::optional(words::bytes(s.sent.step).toStdString()) : std::nullopt;
    });
}

std::vector<Difference> differencesOf(
    const Experiment& before, const Experiment& after, const Snapshot& old, const Snapshot& now)
{
    std::vector<Difference> found;
    for (SettingDifference& each : settingDifferences(before, after)) {
        const std::string section = each.pointer.substr(1, each.pointer.find('/', 1) - 1);
        found.push_back({ section, std::move(each.pointer), std::move(each.before), std::move(each.after) });
    }
    addShardings(found, old, now);
    addBytes(found, old, now);
    return found;
}

void printComparison(const std::vector<Difference>& differences)
{
    Console console;
    std::string section;
    for (const Difference& each : differences) {
        if (each.section != section) {
            section = each.section;
            console.heading(words::fromStd(section));
        }
        console.line(QStringLiteral("  ") + words::fromStd(each.path));
        if (each.before)
            console.line(QStringLiteral("    - ") + words::fromStd(*each.before), Emphasis::Bad);
        if (each.after)
            console.line(QStringLiteral("    + ") + words::fromStd(*each.after), Emphasis::Good);
    }
    if (differences.empty())
        console.line(QStringLiteral("no differences"), Emphasis::Good);
}

int compareInputs(const DiffOptions& options)
{
    const auto before = loadExperiment(options.before), after = loadExperiment(options.after);
    for (const auto* input : { &before, &after })
        if (!*input)
            return reject(options.json, input->error());
    const SnapshotPtr old = analyse(before->experiment), now = analyse(after->experiment);
    const std::vector<Difference> differences = differencesOf(before->experiment, after->experiment, *old, *now);
    const int status = differences.empty() ? Done : Findings;
    if (options.json.empty()) {
        printComparison(differences);
        printFindings(*before, *old);
        printFindings(*after, *now);
        return status;
    }
    Json out = envelope(options.json, *before);
    out["compared_with"] = after->name;
    out["differences"] = Json::array();
    for (const Difference& each : differences) {
        Json row{ { "section", each.section }, { "path", each.path } };
        row["before"] = each.before ? Json(*each.before) : Json(nullptr);
        row["after"] = each.after ? Json(*each.after) : Json(nullptr);
        out["differences"].push_back(std::move(row));
    }
    out["problems"] = problems(*before, *old);
    for (Json& problem : problems(*after, *now))
        out["problems"].push_back(std::move(problem));
    return emitJson(out, options.json, status);
}

} // namespace

void addDiff(CLI::App& app, int& status)
{
    Command command(app, "diff", "Compare two experiments: mesh, rules, model, shardings and bytes");
    const auto options = std::make_shared<DiffOptions>();
    const char* description = "Experiment file, program in StableHLO text (.mlir), or the id of a built-in example";
    command.addOption("A", options->before, description).required();
    command.addOption("B", options->after, description).required();
    command.addJson(options->json);
    command.setInput(options->before);
    command.footer("Lines with - are A's, lines with + are B's. Titles, notes and run settings do not count.\n"
                   "Exit codes: 0 no differences; 1 differences; 2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return compareInputs(*options); });
}

} // namespace shardscope::cli

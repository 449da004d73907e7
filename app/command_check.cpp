// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>

#include "commands.h"
#include "report.h"

namespace shardscope::cli {

namespace {

int check(const std::string& file, const JsonTarget& json)
{
    const auto input = loadExperiment(file);
    if (!input)
        return reject("check", json, input.error());
    const SnapshotPtr snapshot = analyse(input->experiment);
    const int status = hasFindings(*input, *snapshot) ? Findings : Done;
    if (!json.empty()) {
        Json out = envelope("check");
        out["input"] = { { "name", input->name }, { "title", input->experiment.title } };
        out["problems"] = problems(*input, *snapshot);
        return emitJson(out, json, status);
    }
    Console console;
    const std::vector<Diagnostic> all = allProblems(*input, *snapshot);
    print(console, all);
    if (all.empty())
        console.line(QString::fromStdString(input->name) + QStringLiteral(": no problems"), Emphasis::Good);
    return status;
}

} // namespace

void addCheck(CLI::App& app, int& status)
{
    struct Options {
        std::string file;
        JsonTarget json;
    };
    CLI::App* command =
        app.add_subcommand("check", "List the problems of an experiment; exits with 1 if there are errors or warnings");
    const auto options = std::make_shared<Options>();
    addFile(*command, options->file);
    addJson(*command, options->json);
    command->footer(
        "The problems go to standard output.\n"
        "Exit codes: 0 no problems; 1 errors or warnings; 2 arguments, input or output that cannot be used.");
    command->callback([options, &status] { status = check(options->file, options->json); });
}

} // namespace shardscope::cli

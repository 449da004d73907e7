// SPDX-License-Identifier: GPL-3.0-or-later
// The command check, declared in commands.h.
#include <memory>

#include <nlohmann/json.hpp>

#include "command.h"
#include "commands.h"
#include "input.h"
#include "report.h"

namespace shardscope::cli {

namespace {

int check(const std::string& file, const JsonTarget& json)
{
    const auto input = loadExperiment(file);
    if (!input)
        return reject(json, input.error());
    const SnapshotPtr snapshot = analyse(input->experiment);
    std::vector<Diagnostic> all = allProblems(*input, *snapshot);
    for (Diagnostic& problem : variantProblems(*input, file))
        all.push_back(std::move(problem));
    const int status = hasFindings(all) ? Findings : Done;
    if (!json.empty()) {
        Json out = envelope(json, *input);
        out["problems"] = toJson(all);
        return emitJson(out, json, status);
    }
    Console console;
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
    Command command(app, "check", "List the problems of an experiment; exits with 1 if there are errors or warnings");
    const auto options = std::make_shared<Options>();
    command.addFile(options->file);
    command.addJson(options->json);
    command.footer(
        "The problems go to standard output.\n"
        "Exit codes: 0 no problems; 1 errors or warnings; 2 arguments, input or output that cannot be used.");
    command.run(status, [options] { return check(options->file, options->json); });
}

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <memory>

#include "commands.h"
#include "program/memory_kinds.h"
#include "program/verify_shardings.h"
#include "report.h"
#include "stablehlo/read.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

/// Warnings of reading, then violations of the operations, then of the shardings, which need values that exist.
std::vector<Diagnostic> findings(const ReadProgram& read, const std::string& file)
{
    std::vector<Diagnostic> all = read.warnings;
    const auto add = [&](std::vector<Diagnostic> more) {
        all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    add(verify(read.program));
    add(verifyShardings(read.program));
    add(memoryOf(read.program).findings);
    for (Diagnostic& one : all)
        one.where.file = file;
    return all;
}

bool hasErrors(const std::vector<Diagnostic>& list)
{
    return std::any_of(
        list.begin(), list.end(), [](const Diagnostic& one) { return one.severity() == Severity::Error; });
}

int verifyProgram(const std::string& file, const JsonTarget& json)
{
    const std::string name = file == "-" ? "standard input" : file;
    const Result<std::string> text = readText(file, maximumText);
    if (!text)
        return reject("verify", json, { text.error() });
    Result<ReadProgram> read = readStableHlo(*text, { .keepIllegalShardings = true });
    if (!read) {
        read.error().where.file = name;
        return reject("verify", json, { read.error() });
    }
    const std::vector<Diagnostic> all = findings(*read, name);
    const bool legal = !hasErrors(all);
    const std::size_t functions = std::max<std::size_t>(read->program.functions.size(), 1);
    if (!json.empty()) {
        Json out = envelope("verify");
        out["input"] = { { "name", name }, { "functions", functions },
            { "operations", read->program.operations.size() }, { "meshes", read->program.meshes.size() } };
        out["legal"] = legal;
        out["problems"] = toJson(all);
        return emitJson(out, json, legal ? Done : BadInput);
    }
    Console console;
    print(console, all);
    if (legal)
        console.line(
            QStringLiteral("%1: legal, %2")
                .arg(QString::fromStdString(name),
                    words::counted(static_cast<qint64>(read->program.operations.size()), words::Noun::Operation)),
            Emphasis::Good);
    return legal ? Done : BadInput;
}

} // namespace

void addVerify(CLI::App& app, int& status)
{
    struct Options {
        std::string file;
        JsonTarget json;
    };
    CLI::App* command = app.add_subcommand("verify",
        "Say what is illegal in a program: operations, meshes, shardings, sharding rules, collectives, memories");
    const auto options = std::make_shared<Options>();
    command->add_option("FILE", options->file, "A program in StableHLO text (.mlir), - for standard input")->required();
    addJson(*command, options->json);
    command->footer("The findings go to standard output, each with its line and column.\n"
                    "Exit codes: 0 legal; 2 something is illegal, or arguments, input or output that cannot be used.");
    command->callback([options, &status] { status = verifyProgram(options->file, options->json); });
}

} // namespace shardscope::cli

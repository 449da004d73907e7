// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileInfo>
#include <algorithm>
#include <memory>

#include "base/codes.h"
#include "commands.h"
#include "input.h"
#include "pipeline/given_program.h"
#include "program/verify_shardings.h"
#include "program_input.h"
#include "report.h"
#include "stablehlo/read.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

bool isError(const Diagnostic& finding)
{
    return finding.severity() == Severity::Error;
}

/// The text of an experiment's program, and what the experiment has for it; of a built-in network that by itself.
tl::expected<CheckedProgram, std::vector<Diagnostic>> ofExperiment(
    tl::expected<Input, std::vector<Diagnostic>> input, const std::string& name)
{
    if (!input)
        return tl::unexpected(std::move(input.error()));
    if (const auto* model = std::get_if<ProgramModel>(&input->experiment.model)) {
        CheckedProgram checked = checkProgram(model->file.empty() ? name : model->file, *model->text);
        if (!checked.isLegal())
            return checked;
        for (Diagnostic& problem : allProblems(*input, *analyse(input->experiment)))
            // What is illegal; where arrays lie is the concern of check.
            if (isError(problem) && problem.code != Code::MixedMemoryKinds && problem.code != Code::UnknownMemoryKind)
                checked.findings.push_back(std::move(problem));
        return checked;
    }
    const SnapshotPtr snapshot = analyse(input->experiment);
    CheckedProgram checked;
    checked.program = givenProgram(*snapshot);
    if (!checked.program)
        return tl::unexpected(allProblems(*input, *snapshot));
    for (auto further : { verify(*checked.program), verifyShardings(*checked.program) })
        for (Diagnostic& finding : further)
            checked.findings.push_back(std::move(finding));
    return checked;
}

tl::expected<CheckedProgram, std::vector<Diagnostic>> check(const std::string& file, const std::string& name)
{
    if (file != "-" && !QFileInfo::exists(QString::fromStdString(file)))
        return ofExperiment(loadExperiment(file), name);
    Result<std::string> text = readText(file, maximumText);
    if (!text)
        return tl::unexpected(std::vector{ text.error() });
    return isExperiment(file, *text) ? ofExperiment(loadExperiment(file, std::move(*text)), name)
                                     : checkProgram(name, *text);
}

int verifyProgram(const std::string& file, const JsonTarget& json)
{
    const std::string name = file == "-" ? "standard input" : file;
    const auto checked = check(file, name);
    if (!checked)
        return reject("verify", json, checked.error());
    if (!checked->program && checked->findings.size() == 1)
        return reject("verify", json, checked->findings);
    const bool legal = checked->isLegal();
    const Program empty;
    const Program& program = checked->program ? *checked->program : empty;
    if (!json.empty()) {
        Json out = envelope("verify", "1.1");
        out["input"] = { { "name", name } };
        if (checked->program) {
            out["input"]["functions"] = std::max<std::size_t>(program.functions.size(), 1);
            out["input"]["operations"] = program.operations.size();
            out["input"]["meshes"] = program.meshes.size();
        }
        out["legal"] = legal;
        out["problems"] = toJson(checked->findings);
        out["left_out"] = checked->leftOut;
        return emitJson(out, json, legal ? Done : BadInput);
    }
    Console console;
    print(console, checked->findings);
    if (checked->leftOut > 0)
        console.line(QStringLiteral("%1 more are left out.").arg(words::count(static_cast<qint64>(checked->leftOut))));
    if (legal)
        console.line(QStringLiteral("%1: legal, %2")
                         .arg(QString::fromStdString(name),
                             words::counted(static_cast<qint64>(program.operations.size()), words::Noun::Operation)),
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
    CLI::App* command = app.add_subcommand(
        "verify", "Say what is illegal in a program: operations, meshes, shardings, sharding rules, collectives");
    const auto options = std::make_shared<Options>();
    command
        ->add_option("FILE", options->file,
            "A program in StableHLO text (.mlir), an experiment or a built-in example, - for standard input")
        ->required();
    addJson(*command, options->json);
    command->footer("The findings go to standard output, each with its line and column.\n"
                    "Exit codes: 0 legal; 2 something is illegal, or arguments, input or output that cannot be used.");
    command->callback([options, &status] { status = verifyProgram(options->file, options->json); });
}

} // namespace shardscope::cli

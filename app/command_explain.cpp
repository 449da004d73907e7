// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>

#include "commands.h"
#include "pipeline/explain.h"
#include "program/path.h"
#include "report.h"
#include "words/why_not.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

Json toJson(const words::ExplanationText& explanation)
{
    Json paragraphs = Json::array();
    for (const words::Text& paragraph : explanation.paragraphs)
        paragraphs.push_back(words::plain(paragraph).toStdString());
    Json causes = Json::array();
    for (const auto& cause : explanation.decidedBy)
        causes.push_back({ { "dimension", cause.subject.toStdString() },
            { "reason", words::plain(cause.reason).toStdString() }, { "outcome", cause.outcome.toStdString() } });
    return { { "title", explanation.title.toStdString() }, { "paragraphs", std::move(paragraphs) },
        { "decided_by", std::move(causes) } };
}

/// Breaks a paragraph at blanks, for lines of at most `width` characters.
QStringList wrapped(const QString& paragraph, qsizetype width)
{
    QStringList lines;
    QString line;
    for (const QString& word : paragraph.split(QLatin1Char(' '))) {
        if (!line.isEmpty() && line.size() + 1 + word.size() > width) {
            lines << line;
            line.clear();
        }
        line += (line.isEmpty() ? QString() : QStringLiteral(" ")) + word;
    }
    return lines << line;
}

int explainTensor(const std::string& file, const std::string& tensor, const JsonTarget& json)
{
    const auto input = loadExperiment(file);
    if (!input)
        return reject("explain", json, input.error());
    const SnapshotPtr snapshot = analyse(input->experiment);
    const auto finish = [&](Json out, ValueId about = {}) {
        out["problems"] = problems(*input, *snapshot, about);
        return emitJson(out, json, snapshot->laidOut() && snapshot->errorCount() == 0 ? Done : Findings);
    };
    if (!snapshot->program) {
        if (!json.empty())
            return finish(envelope("explain"));
        Console errors(stderr);
        printProblems(errors, *input, *snapshot);
        return Findings;
    }
    const auto value = findValue(*snapshot->program, tensor);
    if (!value)
        return reject("explain", json, { value.error() });

    words::ExplanationText said = words::explanation(*snapshot, explain(*snapshot, *value), words::Length::Derivation);
    if (snapshot->mesh)
        for (words::Text& sentence :
            words::whyNot(*snapshot->program, *snapshot->mesh, *value, absentAxes(*snapshot, *value)))
            said.paragraphs.push_back(std::move(sentence));
    const TensorRow* row = snapshot->row(*value);
    if (!json.empty()) {
        Json out = envelope("explain");
        if (row)
            out["tensor"] = cli::toJson(*row);
        out["explanation"] = toJson(said);
        return finish(std::move(out), *value);
    }
    Console console;
    console.heading(said.title);
    for (const words::Text& paragraph : said.paragraphs) {
        console.lines(wrapped(words::plain(paragraph), 100), QStringLiteral("  "));
        console.line();
    }
    Table table{ { { QStringLiteral("Dimension") }, { QStringLiteral("Decided by") }, { QStringLiteral("Outcome") } },
        {} };
    for (const auto& cause : said.decidedBy)
        table.rows.push_back({ cause.subject, words::plain(cause.reason), cause.outcome });
    if (!table.rows.empty())
        console.table(table);
    if (row)
        printGrid(console, *snapshot, *row);
    console.flush();
    Console errors(stderr);
    printProblems(errors, *input, *snapshot, *value);
    return snapshot->laidOut() && snapshot->errorCount() == 0 ? Done : Findings;
}

} // namespace

void addExplain(CLI::App& app, int& status)
{
    struct Options {
        std::string file;
        std::string tensor;
        JsonTarget json;
    };
    CLI::App* command = app.add_subcommand("explain", "Say why a tensor is laid out as it is");
    const auto options = std::make_shared<Options>();
    addFile(*command, options->file);
    command->add_option("--tensor", options->tensor, "Path of the tensor, as show lists it: \"params/layers.0/W1\"")
        ->required()
        ->option_text("PATH");
    addJson(*command, options->json);
    command->footer(
        "Exit codes: 0 done; 1 the experiment has errors; 2 arguments, a tensor, input or output that cannot\n"
        "be used. Warnings do not count.");
    command->callback([options, &status] { status = explainTensor(options->file, options->tensor, options->json); });
}

} // namespace shardscope::cli

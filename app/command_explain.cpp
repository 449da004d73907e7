// SPDX-License-Identifier: GPL-3.0-or-later
// The command explain, declared in commands.h.
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "analysis/explain.h"
#include "base/codes.h"
#include "collectives_report.h"
#include "command.h"
#include "commands.h"
#include "layout_report.h"
#include "pipeline/exchange_subject.h"
#include "program/path.h"
#include "report.h"
#include "words/collective_texts.h"
#include "words/collective_words.h"
#include "words/utf8.h"
#include "words/why_not.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

Json explanationJson(const words::ExplanationText& explanation)
{
    Json paragraphs = Json::array();
    for (const words::Text& paragraph : explanation.paragraphs)
        paragraphs.push_back(words::plain(paragraph).toStdString());
    Json causes = Json::array();
    for (const auto& cause : explanation.decidedBy)
        causes.push_back({ { "subject", cause.subject.toStdString() },
            { "cause", words::plain(cause.reason).toStdString() }, { "outcome", cause.outcome.toStdString() } });
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

/// What could stand in its place, the present one first.
struct Choice {
    CollectiveAlternative alternative;
    QString text;
};

/// By CollectiveAlternative::Kind.
constexpr const char* alternativeIds[] = { "keep", "scatter_result", "gather_operands", "optimal_reshard",
    "shardy_reshard", "gather_and_slice", "scatter_returned", "return_blocks", "change_sharding" };

Json alternativeJson(const CollectiveList& list, const Choice& option, const Mesh& mesh)
{
    const CollectiveAlternative& alternative = option.alternative;
    Json steps = Json::array();
    for (const Collective& step : alternative.steps)
        steps.push_back({ { "kind", name(step.kind) }, { "axes", axisNames(axesOf(step), mesh) },
            { "sent_bytes", cli::toJson(step.sentBytes) } });
    Json out{ { "kind", alternativeIds[static_cast<std::size_t>(alternative.kind)] },
        { "sent_bytes_per_step", cli::toJson(alternative.sentBytes) }, { "more_bytes_held", alternative.moreBytesHeld },
        { "steps", std::move(steps) }, { "text", option.text.toStdString() } };
    if (alternative.timesWork != 1)
        out["times_work"] = alternative.timesWork;
    if (alternative.allReshards)
        out["all_reshards"] = true;
    if (alternative.rulesWithin && !alternative.rulesWithin->empty())
        out["rules_within"] = *alternative.rulesWithin;
    if (alternative.stepBytes)
        out["sent_bytes_of_the_step"] = cli::toJson(*alternative.stepBytes);
    if (alternative.stepMoreBytesHeld)
        out["more_bytes_held_of_the_step"] = *alternative.stepMoreBytesHeld;
    if (alternative.sharding) {
        out["tensor"] = *list.program->value(alternative.value).path;
        out["sharding"] = words::shardingForm(*alternative.sharding, mesh).toStdString();
    }
    return out;
}

int explainCollective(const std::string& file, std::int64_t number, const JsonTarget& json)
{
    const auto found = loadCommunication(file);
    if (!found)
        return refuse(json, found.error());
    const CollectiveList& list = found->list;
    const auto all = static_cast<std::int64_t>(list.entries.size());
    if (number < 1 || number > all) {
        std::vector<Arg> args{ { "key", "collective" }, { "value", number }, { "min", std::int64_t{ 1 } } };
        args.emplace_back("max", all);
        return reject(json, { { Code::OutOfRange, std::move(args), {} } });
    }
    const std::size_t index = static_cast<std::size_t>(number) - 1;
    const CollectiveEntry& entry = list.entries[index];
    words::ExplanationText stated;
    stated.title = words::collectiveTitle(list, index);
    stated.paragraphs = { words::collectiveCause(list, entry), words::collectiveCost(entry) };
    std::vector<Choice> options;
    for (CollectiveAlternative& alternative : alternatives(*found->snapshot, list, index)) {
        QString text = words::plain(words::alternativeText(list, entry, alternative));
        options.push_back({ std::move(alternative), std::move(text) });
    }
    const int status = found->snapshot->errorCount() == 0 ? Done : Findings;
    if (!json.empty()) {
        Json out = envelope(json, found->input);
        out["collective"] = cli::toJson(list, index, true);
        out["explanation"] = explanationJson(stated);
        out["alternatives"] = Json::array();
        for (const Choice& option : options)
            out["alternatives"].push_back(alternativeJson(list, option, *entry.mesh));
        out["problems"] = problems(found->input, *found->snapshot);
        return emitJson(out, json, status);
    }
    Console console;
    console.heading(stated.title);
    for (const words::Text& paragraph : stated.paragraphs)
        console.lines(wrapped(words::plain(paragraph), 100), QStringLiteral("  "));
    Table held{ "", "Sharding", "Each device holds" };
    const ExchangeSubject array = exchangeSubject(list, entry);
    const auto addForm = [&](const QString& when, const TensorSharding& sharding) {
        const TensorType local =
            array.arrayPerDevice ? entry.type : TensorType{ array.type.dtype, shardShape(sharding, array.type.shape) };
        held.rows.push_back({ when, words::exchangedForm(array, sharding),
            QStringLiteral("%1, %2").arg(words::shape(local.shape), exactBytes(local.byteCount())) });
    };
    const QString where = array.ofOneGroup && entry.groupCount > 1 ? QStringLiteral(", in each group") : QString();
    addForm(QStringLiteral("before") + where, array.before);
    addForm(QStringLiteral("after") + where, array.after);
    console.line();
    console.table(held);
    console.heading(sentPairs(entry).empty() ? QStringLiteral("Groups") : QStringLiteral("Who sends to whom"));
    console.lines(
        wrapped(words::groupCounts(entry) + QStringLiteral(": ") + words::groupList(entry), 100), QStringLiteral("  "));
    console.heading(QStringLiteral("What would do in its place"));
    for (std::size_t i = 0; i < options.size(); ++i) {
        QStringList lines = wrapped(options[i].text, 97);
        for (qsizetype l = 0; l < lines.size(); ++l)
            console.line((l == 0 ? QStringLiteral("  %1. ").arg(i + 1) : QStringLiteral("     ")) + lines[l]);
    }
    if (options.size() == 1)
        console.line(QStringLiteral("  ") + words::noAlternative());
    console.flush();
    printFindings(found->input, *found->snapshot);
    return status;
}

int explainTensor(const std::string& file, const std::string& tensor, const JsonTarget& json)
{
    const auto input = loadExperiment(file);
    if (!input)
        return reject(json, input.error());
    const SnapshotPtr snapshot = analyse(input->experiment);
    const auto finish = [&](Json out, ValueId about = {}) {
        out["problems"] = problems(*input, *snapshot, about);
        return emitJson(out, json, snapshot->laidOut() && snapshot->errorCount() == 0 ? Done : Findings);
    };
    if (!snapshot->program) {
        if (!json.empty())
            return finish(envelope(json, *input));
        Console errors(stderr);
        printProblems(errors, *input, *snapshot);
        return Findings;
    }
    const auto value = findValue(*snapshot->program, tensor);
    if (!value)
        return reject(json, { value.error() });

    words::ExplanationText stated =
        words::explanation(*snapshot, explain(*snapshot, *value), words::Length::Derivation);
    if (snapshot->mesh)
        for (words::Text& sentence :
            words::whyNot(*snapshot->program, *snapshot->mesh, *value, absentAxes(*snapshot, *value)))
            stated.paragraphs.push_back(std::move(sentence));
    const TensorRow* row = snapshot->row(*value);
    if (!json.empty()) {
        Json out = envelope(json, *input);
        if (row)
            out["tensors"] = Json::array({ cli::toJson(*row) });
        out["explanation"] = explanationJson(stated);
        return finish(std::move(out), *value);
    }
    Console console;
    console.heading(stated.title);
    for (const words::Text& paragraph : stated.paragraphs) {
        console.lines(wrapped(words::plain(paragraph), 100), QStringLiteral("  "));
        console.line();
    }
    Table table{ "Dimension", "Decided by", "Outcome" };
    for (const auto& cause : stated.decidedBy)
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
        std::optional<std::int64_t> collective;
        JsonTarget json;
    };
    Command command(app, "explain", "Say why a tensor is laid out as it is, or why a collective is there");
    const auto options = std::make_shared<Options>();
    command.addFile(options->file);
    const Option tensor =
        command.addOption("--tensor", options->tensor, "Path of the tensor, as show lists it: \"params/layers.0/W1\"")
            .optionText("PATH");
    command
        .addOption("--collective", options->collective,
            "Number of the collective, as comms lists it: its cause, its groups, and what else would do at which price")
        .excludes(tensor)
        .optionText("N");
    command.addJson(options->json);
    command.footer(
        "Exit codes: 0 done; 1 the experiment has errors; 2 arguments, a tensor or collective, input or output\n"
        "that cannot be used. Warnings do not count.");
    command.run(status, [options, tensor] {
        if (options->collective)
            return explainCollective(options->file, *options->collective, options->json);
        if (!tensor.isSet())
            throw UsageError("--tensor or --collective is required");
        return explainTensor(options->file, options->tensor, options->json);
    });
}

} // namespace shardscope::cli

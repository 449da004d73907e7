// SPDX-License-Identifier: GPL-3.0-or-later
// The command verify, declared in commands.h.
#include <QFileInfo>
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "analysis/explicit_check.h"
#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "experiment/builtin.h"
#include "experiment/model_settings.h"
#include "input.h"
#include "program/verify_shardings.h"
#include "program_input.h"
#include "report.h"
#include "sharding/text.h"
#include "stablehlo/read.h"
#include "words/explicit_words.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

/// What FILE is: an experiment, or a program by itself.
struct Checked {
    std::optional<Input> experiment;
    std::string text; ///< of a program by itself
};
tl::expected<Checked, std::vector<Diagnostic>> load(const std::string& file)
{
    const bool named = file != "-" && !QFileInfo::exists(QString::fromStdString(file));
    Checked source;
    if (!named) {
        Result<std::string> text = readText(file, maximumText);
        if (!text)
            return tl::unexpected(std::vector{ text.error() });
        source.text = std::move(*text);
    }
    if (!named && isProgramText(file, source.text))
        return source;
    SHARDSCOPE_TRY(input, named ? loadExperiment(file) : loadExperiment(file, std::move(source.text)));
    source.experiment = std::move(*input);
    return source;
}

/// The program of an experiment, as its text has it where there is one, and what the experiment adds to it.
tl::expected<CheckedProgram, std::vector<Diagnostic>> ofExperiment(const Input& input, const std::string& name)
{
    CheckedProgram checked;
    if (const std::string* text = sourceText(input.experiment)) {
        const std::string place = sourceFile(input.experiment);
        checked = checkProgram(place.empty() ? name : place, *text);
        if (!checked.isLegal())
            return checked;
    }
    const SnapshotPtr snapshot = analyse(input.experiment);
    if (!checked.program) {
        if (!snapshot->annotated)
            return tl::unexpected(allProblems(input, *snapshot));
        checked.program = *snapshot->annotated;
        for (auto further : { verify(*checked.program), verifyShardings(*checked.program) })
            std::move(further.begin(), further.end(), std::back_inserter(checked.findings));
    }
    for (Diagnostic& problem : allProblems(input, *snapshot))
        // What is illegal; where arrays lie is the concern of check.
        if (isError(problem) && problem.code != Code::MixedMemoryKinds && problem.code != Code::UnknownMemoryKind)
            checked.findings.push_back(std::move(problem));
    return checked;
}

/// What JAX's explicit mode would refuse. Findings that keep the program from being laid out otherwise.
struct ExplicitFindings {
    SnapshotPtr snapshot;
    ExplicitReport report;
};
tl::expected<ExplicitFindings, std::vector<Diagnostic>> explicitFindings(const Checked& source, const std::string& name)
{
    Input input{ name, {}, {}, {} };
    if (source.experiment) {
        input = *source.experiment;
    } else {
        Result<Experiment> made =
            experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(source.text) }, name);
        if (!made)
            return tl::unexpected(std::vector{ made.error() });
        input.experiment = std::move(*made);
    }
    ExplicitFindings found{ analyse(input.experiment), {} };
    std::optional<ExplicitReport> report = explicitReport(*found.snapshot);
    if (!report)
        return tl::unexpected(allProblems(input, *found.snapshot));
    for (ExplicitRefusal& refusal : report->refusals)
        if (refusal.diagnostic.where.line > 0)
            refusal.diagnostic.where.file = programName(input);
    found.report = std::move(*report);
    return found;
}

std::vector<Diagnostic> listed(const ExplicitReport& report)
{
    std::vector<Diagnostic> list;
    for (const ExplicitRefusal& refusal : report.refusals)
        if (list.size() < maximumListed)
            list.push_back(refusal.diagnostic);
    return list;
}

/// null for what has no type: it is no array, or something before it is refused or not judged.
Json resultsJson(const ExplicitFindings& found)
{
    const bool known = found.report.accepts() && found.report.unjudged.empty() && found.report.differentiated == 0;
    Json results = Json::array();
    for (const std::optional<TensorSharding>& type : found.report.results)
        results.push_back(known && type ? Json(toJax(toPartitionSpec(*type, *found.snapshot->mesh))) : Json());
    return results;
}

Json explicitJson(const ExplicitFindings& found)
{
    const ExplicitReport& report = found.report;
    Json unjudged = Json::array();
    for (const auto& [operation, count] : report.unjudged)
        unjudged.push_back({ { "op", operation }, { "count", count } });
    return { { "accepted", report.accepts() }, { "refused", report.refusals.size() },
        { "operations_accepted", report.accepted }, { "operations_differentiated", report.differentiated },
        { "constraints_that_reshard", report.resharded }, { "not_judged", std::move(unjudged) },
        { "results", resultsJson(found) } };
}

void printExplicit(Console& console, const std::string& name, const ExplicitFindings& found)
{
    const std::vector<Diagnostic> list = listed(found.report);
    print(console, list);
    if (const std::size_t more = found.report.refusals.size() - list.size(); more > 0)
        console.line(QStringLiteral("%1 more are left out.").arg(words::count(static_cast<qint64>(more))));
    console.line(QStringLiteral("%1: %2").arg(
                     QString::fromStdString(name), words::explicitVerdict(found.report, *found.snapshot->program)),
        found.report.accepts() ? Emphasis::Good : Emphasis::Warning);
    if (const QString remarks = words::explicitRemarks(found.report); !remarks.isEmpty())
        console.line(remarks, Emphasis::Faint);
}

int verifyProgram(const std::string& file, bool withExplicit, const JsonTarget& json)
{
    const std::string name = shownName(file);
    auto source = load(file);
    if (!source)
        return reject(json, source.error());
    using Outcome = tl::expected<CheckedProgram, std::vector<Diagnostic>>;
    const Outcome checked = source->experiment ? ofExperiment(*source->experiment, name)
        : withExplicit                         ? Outcome(checkProgram(name, std::string_view(source->text)))
                                               : Outcome(checkProgram(name, std::move(source->text)));
    if (!checked)
        return reject(json, checked.error());
    if (!checked->program && checked->findings.size() == 1)
        return reject(json, checked->findings);
    const bool legal = checked->isLegal();
    std::optional<ExplicitFindings> found;
    if (withExplicit && legal) {
        auto made = explicitFindings(*source, name);
        if (!made)
            return reject(json, made.error());
        found = std::move(*made);
    }
    const int status = !legal ? BadInput : found && !found->report.accepts() ? Findings : Done;
    const Program empty;
    const Program& program = checked->program ? *checked->program : empty;
    if (!json.empty()) {
        Json out = envelope(json);
        if (checked->program) {
            out["input"]["function_count"] = std::max<std::size_t>(program.functions.size(), 1);
            out["input"]["operation_count"] = program.operations.size();
            out["input"]["mesh_count"] = program.meshes.size();
        }
        out["legal"] = legal;
        std::vector<Diagnostic> all = checked->findings;
        out["left_out"] = checked->leftOut;
        if (found) {
            const std::vector<Diagnostic> refused = listed(found->report);
            all.insert(all.end(), refused.begin(), refused.end());
            out["left_out"] = checked->leftOut + found->report.refusals.size() - refused.size();
            out["explicit"] = explicitJson(*found);
        }
        out["problems"] = toJson(all);
        return emitJson(out, json, status);
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
    if (found)
        printExplicit(console, name, *found);
    return status;
}

} // namespace

void addVerify(CLI::App& app, int& status)
{
    struct Options {
        std::string file;
        bool withExplicit = false;
        JsonTarget json;
    };
    Command command(
        app, "verify", "Say what is illegal in a program: operations, meshes, shardings, sharding rules, collectives");
    const auto options = std::make_shared<Options>();
    command
        .addOption("FILE", options->file,
            "A program in StableHLO text (.mlir) or HLO text (.hlo), an experiment or a built-in example, - for "
            "standard input")
        .required();
    command.addFlag("--explicit", options->withExplicit,
        "Say as well what JAX's explicit mode would refuse, where every sharding follows from those of the operands, "
        "and what to write");
    command.addJson(options->json);
    command.setInput(options->file);
    command.addVariant(options->file);
    command.footer("The findings go to standard output, each with its line and column.\n"
                   "Exit codes: 0 legal; 1 legal, and JAX's explicit mode would refuse it (--explicit);\n2 something "
                   "is illegal, or arguments, input or output that cannot be used.");
    command.run(status, [options] { return verifyProgram(options->file, options->withExplicit, options->json); });
}

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_input.h"

#include <QFileInfo>
#include <algorithm>
#include <tuple>

#include "input.h"
#include "partition/varying_axes.h"
#include "program/verify_shardings.h"
#include "propagation/pass_pipelines.h"
#include "rules_input.h"
#include "stablehlo/read.h"

namespace shardscope::cli {

namespace {

std::vector<Diagnostic> errorsOf(const Program& program)
{
    std::vector<Diagnostic> found = verify(program);
    if (found.empty())
        found = verifyShardings(program);
    std::erase_if(found, [](const Diagnostic& finding) { return !isError(finding); });
    return found;
}

tl::expected<GivenInput, RefusedInput> fromExperiment(const tl::expected<Input, std::vector<Diagnostic>>& input)
{
    if (!input)
        return tl::unexpected(RefusedInput{ input.error() });
    const SnapshotPtr snapshot = analyse(input->experiment, LastStage::Propagation);
    std::vector<Diagnostic> problems = allProblems(*input, *snapshot);
    // That such a program is not run is of no matter here.
    std::erase_if(problems, [](const Diagnostic& problem) { return problem.severity() == Severity::Info; });
    const ProgramPtr& given = snapshot->annotated;
    std::vector<Diagnostic> wrong = given ? errorsOf(*given) : std::vector<Diagnostic>();
    if (!given || !wrong.empty())
        return tl::unexpected(
            RefusedInput{ snapshot->errorCount() > 0 ? std::move(problems) : std::move(wrong), Findings });
    GivenInput loaded{ *given, {}, input->experiment.propagation };
    loaded.isNetwork = !std::holds_alternative<ProgramModel>(input->experiment.model);
    loaded.status = std::any_of(problems.begin(), problems.end(), isError) ? Findings : Done;
    loaded.problems = std::move(problems);
    return loaded;
}

} // namespace

bool CheckedProgram::isLegal() const
{
    return std::none_of(findings.begin(), findings.end(), isError);
}

CheckedProgram checkProgram(const std::string& name, const std::string& text)
{
    CheckedProgram checked;
    std::vector<Diagnostic>& all = checked.findings;
    Result<ReadProgram> read = readStableHlo(text, { .keepIllegalShardings = true, .findings = &all });
    if (!read) {
        all.push_back(std::move(read.error()));
    } else {
        for (auto further : { verify(read->program), verifyShardings(read->program), std::move(read->warnings) })
            all.insert(all.end(), std::make_move_iterator(further.begin()), std::make_move_iterator(further.end()));
        if (checked.isLegal()) {
            for (auto further : { passes::groupConflicts(read->program), checkReplication(read->program) })
                all.insert(all.end(), std::make_move_iterator(further.begin()), std::make_move_iterator(further.end()));
        }
        checked.program = std::move(read->program);
    }
    std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::tuple(a.where.line == 0, a.where.line, a.where.column)
            < std::tuple(b.where.line == 0, b.where.line, b.where.column);
    });
    for (Diagnostic& finding : all)
        finding.where.file = name;
    if (all.size() > maximumListed) {
        checked.leftOut = all.size() - maximumListed;
        // What is illegal counts more than warnings.
        std::stable_partition(all.begin(), all.end(), isError);
        all.resize(maximumListed);
    }
    return checked;
}

tl::expected<ProgramInput, std::vector<Diagnostic>> loadProgram(const std::string& file)
{
    const Result<std::string> text = readText(file, maximumText);
    if (!text)
        return tl::unexpected(std::vector{ text.error() });
    return loadProgram(file, *text);
}

tl::expected<ProgramInput, std::vector<Diagnostic>> loadProgram(const std::string& file, const std::string& text)
{
    const std::string shown = shownName(file);
    Result<ReadProgram> read = readStableHlo(text);
    if (read)
        nameAsWritten(*read, text);
    if (!read || !errorsOf(read->program).empty()) {
        std::vector<Diagnostic> wrong = checkProgram(shown, text).findings;
        std::erase_if(wrong, [](const Diagnostic& finding) { return !isError(finding); });
        return tl::unexpected(std::move(wrong));
    }
    for (const auto& further : { passes::groupConflicts(read->program), checkReplication(read->program) })
        read->warnings.insert(read->warnings.end(), further.begin(), further.end());
    for (Diagnostic& warning : read->warnings)
        warning.where.file = shown;
    return ProgramInput{ shown, std::move(read->program), std::move(read->warnings) };
}

bool isExperiment(const std::string& file, const std::string& text)
{
    return file.ends_with(".json") || isExperimentText(text);
}

tl::expected<GivenInput, RefusedInput> loadGiven(const std::string& file)
{
    if (file != "-" && !QFileInfo::exists(QString::fromStdString(file)))
        return fromExperiment(loadExperiment(file));
    Result<std::string> text = readText(file, maximumText);
    if (!text)
        return tl::unexpected(RefusedInput{ { text.error() } });
    if (isExperiment(file, *text))
        return fromExperiment(loadExperiment(file, std::move(*text)));
    auto loaded = loadProgram(file, *text);
    if (!loaded)
        return tl::unexpected(RefusedInput{ std::move(loaded.error()) });
    return GivenInput{ std::move(loaded->program), std::move(loaded->warnings) };
}

} // namespace shardscope::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_input.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "document/program_file.h"
#include "experiment/model_settings.h"
#include "hlo/to_stablehlo.h"
#include "input.h"
#include "partition/partition_program.h"
#include "partition/varying_axes.h"
#include "program/collective_groups.h"
#include "program/over_mesh.h"
#include "program/verify_shardings.h"
#include "propagation/pass_pipelines.h"

namespace shardscope::cli {

namespace {

std::vector<Diagnostic> illegalIn(const Program& program)
{
    std::vector<Diagnostic> found = verify(program);
    if (found.empty())
        found = verifyShardings(program);
    std::erase_if(found, [](const Diagnostic& finding) { return !isError(finding); });
    return found;
}

/// `readText`, given its options, reads the text. Where the text is there afterwards, as `kept`, findings name arrays.
template <class Read>
CheckedProgram checkedBy(
    const std::string& name, std::string_view text, const Read& readText, std::optional<std::string_view> kept)
{
    CheckedProgram checked;
    std::vector<Diagnostic>& all = checked.findings;
    std::optional<Error> wrong = notAsNamed(QString::fromStdString(name), text); // the text may go
    Result<ReadProgram> read = readText(ReadOptions{ .keepIllegalShardings = true, .findings = &all });
    if (!read && wrong) {
        all = { std::move(*wrong) };
    } else if (!read) {
        all.push_back(std::move(read.error()));
    } else {
        for (auto further : { verify(read->program), verifyShardings(read->program),
                 verifyCollectiveGroups(read->program), std::move(read->warnings) })
            all.insert(all.end(), std::make_move_iterator(further.begin()), std::make_move_iterator(further.end()));
        if (checked.isLegal()) {
            for (auto further : { passes::groupConflicts(read->program), checkReplication(read->program) })
                all.insert(all.end(), std::make_move_iterator(further.begin()), std::make_move_iterator(further.end()));
            if (read->program.meshes.size() > 1) {
                if (kept)
                    declaredName(*read, *kept);
                if (Result<void> common = checkCommonAxes(read->program); !common)
                    all.push_back(std::move(common.error()));
            }
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

} // namespace

bool CheckedProgram::isLegal() const
{
    return std::none_of(findings.begin(), findings.end(), isError);
}

CheckedProgram checkProgram(const std::string& name, std::string_view text)
{
    return checkedBy(
        name, text, [&](const ReadOptions& options) { return readProgram(text, options); }, text);
}

CheckedProgram checkProgram(const std::string& name, std::string&& text)
{
    constexpr std::string_view mesh = "sdy.mesh ";
    if (const std::size_t first = text.find(mesh);
        first != std::string::npos && text.find(mesh, first + 1) != std::string::npos)
        return checkProgram(name, std::string_view(text)); // what is wrong with several meshes names an array
    return checkedBy(
        name, text, [&](const ReadOptions& options) { return takeProgram(text, options); }, std::nullopt);
}

std::vector<Diagnostic> errorsOf(const CheckedProgram& checked)
{
    std::vector<Diagnostic> errors;
    std::copy_if(checked.findings.begin(), checked.findings.end(), std::back_inserter(errors), isError);
    return errors;
}

std::vector<Diagnostic> illegalities(const Input& input)
{
    const std::string* text = sourceText(input.experiment);
    return text && input.text.empty() ? errorsOf(checkProgram(input.name, *text)) : std::vector<Diagnostic>();
}

tl::expected<SpecifiedInput, Refused> loadSpecified(const std::string& file)
{
    const auto input = loadExperiment(file);
    if (!input)
        return tl::unexpected(Refused{ input.error() });
    const SnapshotPtr snapshot = analyse(input->experiment, LastStage::Propagation);
    std::vector<Diagnostic> problems = allProblems(*input, *snapshot);
    // That such a program is not run is of no matter here.
    std::erase_if(problems, [](const Diagnostic& problem) { return problem.severity() == Severity::Info; });
    if (snapshot->errorCount() > 0)
        if (std::vector<Diagnostic> illegal = illegalities(*input); !illegal.empty())
            return tl::unexpected(Refused{ std::move(illegal) });
    // A text without a mesh stays without the one that it was given to be laid out on.
    const bool isWithoutMesh = input->text.empty() && input->file.empty() && snapshot->source
        && sourceText(input->experiment) && !mainMesh(snapshot->source->program);
    const ProgramPtr specified =
        isWithoutMesh ? ProgramPtr(snapshot->source, &snapshot->source->program) : snapshot->annotated;
    std::vector<Diagnostic> wrong = specified ? illegalIn(*specified) : std::vector<Diagnostic>();
    if (!specified || !wrong.empty())
        return tl::unexpected(Refused{ snapshot->errorCount() > 0 ? std::move(problems) : std::move(wrong), Findings });
    SpecifiedInput loaded{ *specified, {}, input->experiment.propagation };
    loaded.status = statusOf(problems);
    loaded.problems = std::move(problems);
    return loaded;
}

} // namespace shardscope::cli

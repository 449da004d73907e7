// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_input.h"

#include <algorithm>
#include <utility>

#include "analysis/summed_problems.h"
#include "base/codes.h"
#include "console.h"
#include "experiment/network_rules.h"
#include "experiment_file/file_words.h"
#include "input.h"
#include "interchange/import.h"
#include "pipeline/stage_results.h"
#include "program_run.h"
#include "report.h"
#include "simulate/run/memory_needed.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

Result<MadeNetwork> makeNetwork(const TransformerSettings& settings, std::string title, const NetworkOptions& options)
{
    std::optional<RulesInput> rules;
    if (!options.rules.empty()) {
        SHARDSCOPE_TRY(read, readRulesInput(options.rules, "--rules"));
        rules = std::move(*read);
    }
    SHARDSCOPE_TRY(mesh, readMeshOption(options.mesh, rules ? &*rules : nullptr));
    if (!*mesh)
        return fail(Code::UnresolvedAxisSize,
            { { "option", "--mesh" }, { "axes", rules ? rules->meshAxes : std::vector<std::string>() } });
    MeshSetting setting;
    setting.axes.assign((*mesh)->axes().begin(), (*mesh)->axes().end());
    setting.deviceOrder.assign((*mesh)->deviceOrder().begin(), (*mesh)->deviceOrder().end());

    std::optional<AxisNames> names;
    if (!options.axisNames.empty()) {
        const std::vector<std::string>& known = file_words::axisNames;
        names = static_cast<AxisNames>(std::find(known.begin(), known.end(), options.axisNames) - known.begin());
    }
    MadeNetwork made;
    RulesSetting taken;
    const PublishedRules* const set = rules ? nullptr : defaultRules(setting.axes, names);
    if (rules) {
        if (rules->maxText) {
            made.warnings = rules->maxText->warnings;
            for (const ReadMaxText::PassedOver& each : rules->maxText->passedOver)
                made.passedOver.push_back(each.key);
        }
        if (rules->experiment)
            taken = rules->experiment->rules;
        else
            taken.rules = rules->rules;
        taken.dialect = rules->dialect.value_or(taken.dialect);
        if (!names)
            names = axisNamesOf(taken.rules, rules->maxText ? Dialect::MaxText : taken.dialect);
    } else if (set) {
        taken = boundRules(*set);
        made.defaultRules = set->id;
    }
    SHARDSCOPE_TRY(
        experiment, networkExperiment(settings, std::move(title), std::move(setting), std::move(taken), names, set));
    if (const auto slices = statedSlices(options.mesh, rules ? &*rules : nullptr))
        SHARDSCOPE_CHECK(spreadOverHosts(experiment->hardware.devices, (*mesh)->deviceCount(), *slices));
    made.experiment = std::move(*experiment);
    return made;
}

void remarkRules(const MadeNetwork& made, const NetworkOptions& options)
{
    Console errors(stderr);
    print(errors, made.warnings);
    if (!options.rules.empty())
        return;
    errors.line(made.defaultRules.empty()
            ? QStringLiteral("No rules were given, and no published ones are over such a mesh: nothing is sharded. "
                             "--rules takes some.")
            : QStringLiteral("No rules were given: those of %1 are taken, and the mesh has all axes that they name. "
                             "--rules takes others, \"()\" none.")
                  .arg(words::fromStd(made.defaultRules)),
        Emphasis::Faint);
}

void remarkProblems(const Experiment& experiment)
{
    const SnapshotPtr snapshot = analyse(experiment);
    std::vector<Diagnostic> errors, ofRulesAndMesh;
    for (const Problem& problem : summedUp(snapshot->problems)) { // as check lists them
        const Diagnostic& found = problem.diagnostic;
        if (isError(found))
            errors.push_back(found);
        else if (found.code == Code::RuleUnknownAxis || found.code == Code::AxisUnused)
            ofRulesAndMesh.push_back(found);
    }
    if (!errors.empty()) {
        Console(stderr).line(QStringLiteral("The experiment has %1: %2")
                                 .arg(words::counted(static_cast<qint64>(errors.size()), words::Noun::Error),
                                     words::oneLine(errors.front())),
            Emphasis::Warning);
        return;
    }
    if (!ofRulesAndMesh.empty()) {
        const auto further = static_cast<qint64>(ofRulesAndMesh.size()) - 1;
        const QString first = words::oneLine(ofRulesAndMesh.front());
        Console(stderr).line(further == 0
                ? first
                : QStringLiteral("%1 (check lists %2 more of rules and mesh)").arg(first, words::count(further)),
            Emphasis::Warning);
    }
    RunOptions options;
    options.reservedBytes = fullBytes(*snapshot->program, snapshot->program->main().results); // as `run` keeps them
    const Result<std::shared_ptr<const Plan>> plan = plannedProgram(*snapshot);
    Result<void> fits;
    if (plan)
        fits = checkRunMemory(**plan, options).map([](const RunNeeds&) {});
    else if (plan.error().code == Code::TooLarge)
        fits = tl::unexpected(runOutOfMemory(plan.error(), snapshot->mesh->deviceCount(), options));
    if (fits || fits.error().code != Code::OutOfMemory)
        return;
    const words::ProblemText stated = words::describe(fits.error());
    Console(stderr).line(
        QStringLiteral("Too large to be run here: %1. %2").arg(stated.cause, stated.remedy), Emphasis::Warning);
}

} // namespace shardscope::cli

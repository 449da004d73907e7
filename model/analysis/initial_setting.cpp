// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/initial_setting.h"

#include <string>
#include <utility>

#include "base/codes.h"
#include "base/text.h"
#include "pipeline/given_shardings.h"
#include "program/roles.h"
#include "program/step_state.h"

namespace shardscope {

InitialValues initialValuesOf(const Snapshot& snapshot)
{
    const RunSetting& run = snapshot.experiment->run;
    InitialValues initial;
    initial.seed = run.seed;
    initial.defaults =
        snapshot.source && snapshot.source->guessesRoles ? InitialDefaults::ByUse : InitialDefaults::ByRole;
    initial.chosen = run.initial;
    if (snapshot.source) {
        initial.ofNetwork = snapshot.source->initial;
        initial.stacks = snapshot.source->stacks;
    }
    return initial;
}

std::vector<Problem> initialProblems(const Experiment& experiment, const Program& program)
{
    constexpr std::size_t maxKnown = 20;
    std::vector<Problem> problems;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (const UnusedChoice& unused : unusedChoices(program, experiment.run.initial)) {
        const ChosenInitial& chosen = experiment.run.initial[unused.choice];
        std::vector<Arg> args{ { "argument", chosen.argument }, { "value", toString(chosen.value) } };
        Problem problem{ { Code::InitialNotUsed, {}, {} }, {}, {} };
        if (unused.argument) {
            const TensorType& type = program.value(arguments[*unused.argument]).type;
            args.emplace_back("wrong", "kind");
            args.emplace_back("type", toString(type));
            args.emplace_back("known", initialValueForms(type.dtype));
            problem.values = { arguments[*unused.argument] };
        } else {
            std::vector<std::string> known;
            for (std::size_t i = 0; i < arguments.size(); ++i)
                known.push_back(namesOfArgument(i, program.value(arguments[i]).path).back());
            args.emplace_back("wrong", "name");
            args.emplace_back("nearest", nearestName(chosen.argument, known));
            if (known.size() > maxKnown)
                known.resize(maxKnown);
            args.emplace_back("known", std::move(known));
        }
        problem.diagnostic.args = std::move(args);
        problem.diagnostic.where.pointer = "/run/initial/" + pointerPart(chosen.argument);
        problems.push_back(std::move(problem));
    }
    return problems;
}

std::vector<Problem> stateProblems(const Experiment& experiment, const Program& program)
{
    std::vector<Problem> problems;
    const auto add = [&](Diagnostic diagnostic, const std::string& pointer) {
        diagnostic.where.pointer = pointer;
        problems.push_back({ std::move(diagnostic), {}, {} });
    };
    const RunSetting& run = experiment.run;
    if (!run.state.empty())
        if (auto stated = parseState(program, run.state); !stated)
            add(std::move(stated.error()), "/run/state");
    for (const ChosenRole& chosen : run.roles)
        if (!namesAny(program, chosen))
            add({ Code::RunSettingNotUsed, { { "key", "roles" }, { "argument", chosen.argument } }, {} },
                "/run/roles/" + pointerPart(chosen.argument));
    return problems;
}

} // namespace shardscope

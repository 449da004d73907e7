// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in run_report.h.
#include <optional>

#include <nlohmann/json.hpp>

#include "run_report.h"
#include "sharding/text.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

std::vector<StepVariable> variablesOf(const Program& program, const StepState& state)
{
    std::vector<StepVariable> variables;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::optional<std::size_t> next = state.resultOf(arguments[i]);
        const Role role = program.value(arguments[i]).role;
        const bool isState = isOptimizerArray(role) || role == Role::Count || role == Role::Step || next.has_value();
        if (role != Role::Parameter && !isState)
            continue;
        variables.push_back({ i, role == Role::Parameter ? "parameter" : "state variable", next });
    }
    return variables;
}

Json variablesJson(const ProgramRun& run)
{
    Json list = Json::array();
    for (const StepVariable& variable : variablesOf(run.program(), run.state)) {
        Json& entry = list.emplace_back(
            Json{ { "name", argumentName(run.program(), variable.slot) }, { "variable_kind", variable.kind },
                { "argument", variable.slot }, { "frozen", !variable.next.has_value() } });
        if (variable.next)
            entry["result"] = *variable.next;
    }
    return list;
}

void printVariables(Console& console, const ProgramRun& run)
{
    const Program& program = run.program();
    console.heading(QStringLiteral("Variables, apart from the program"));
    Table table{ "Variable", "Kind", "Slot", "In the next step", "Type", "Sharding" };
    for (const StepVariable& variable : variablesOf(program, run.state)) {
        const TensorType& type = program.value(program.main().arguments[variable.slot]).type;
        QString sharding;
        if (run.partitioned && isTensor(type.dtype))
            sharding = words::fromStd(
                toShardy(run.partitioned->device.inputs[variable.slot].sharding, *run.partitioned->device.mesh));
        table.rows.push_back({ words::fromStd(argumentName(program, variable.slot)), words::fromStd(variable.kind),
            QStringLiteral("argument %1").arg(variable.slot),
            variable.next ? QStringLiteral("result %1").arg(*variable.next) : QStringLiteral("frozen"),
            words::fromStd(toString(type)), sharding });
    }
    console.table(table);
}

} // namespace shardscope::cli

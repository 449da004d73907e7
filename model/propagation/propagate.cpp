// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/propagate.h"

#include <algorithm>

#include "propagation/driver.h"
#include "propagation/passes/passes.h"

namespace shardscope {

namespace {

const TensorSharding* at(const std::vector<std::optional<TensorSharding>>& list, std::size_t index)
{
    return index < list.size() && list[index] ? &*list[index] : nullptr;
}

/// The program with the seeds as shardings of its own, over the one mesh.
Program withSeeds(const PropagationInput& input)
{
    Program program = *input.program;
    ProgramMesh mesh;
    mesh.mesh = input.mesh;
    program.meshes.assign(1, std::move(mesh));
    program.shardings.clear();
    program.valueShardings.assign(program.values.size(), 0);
    const auto give = [&](ValueId value, const TensorSharding* sharding) {
        if (!sharding)
            return;
        program.shardings.push_back({ 0, *sharding, ReduceKind::Sum });
        program.valueShardings[value.index] = static_cast<ShardingIndex>(program.shardings.size());
    };
    for (std::size_t a = 0; a < program.main().arguments.size(); ++a)
        give(program.main().arguments[a], at(input.arguments, a));
    for (std::size_t o = 0; o < program.operations.size(); ++o) {
        Operation& operation = program.operations[o];
        const TensorSharding* sharding = at(input.constraints, o);
        if (operation.kind != OpKind::ShardingConstraint) {
            if (!operation.results.empty())
                give(operation.results.front(), sharding);
            continue;
        }
        ConstraintAttributes constraint;
        if (sharding)
            constraint.annotation = GivenSharding{ std::make_shared<const ProgramSharding>(
                ProgramSharding{ 0, *sharding, ReduceKind::Sum }) };
        operation.attributes = std::move(constraint);
    }
    return program;
}

/// What the pass does to a program that has its shardings in it, for one whose seeds stand beside it.
struct Applied {
    PropagationInput input;
    std::vector<passes::AppliedConstraint> constraints;
};
std::optional<Applied> applyConstraints(const PropagationInput& input)
{
    if (!input.mesh || !input.options.applyConstraints
        || std::none_of(
            input.constraints.begin(), input.constraints.end(), [](const auto& c) { return c.has_value(); }))
        return std::nullopt;
    Applied applied{ input, {} };
    const Program& before = *input.program;
    auto program = std::make_shared<Program>(passes::applyAndNoteConstraints(withSeeds(input), applied.constraints));
    // What is used where stays as the pass made it; the seeds go back beside the program.
    program->meshes = before.meshes;
    program->shardings = before.shardings;
    program->valueShardings = before.valueShardings;
    for (std::size_t o = 0; o < before.operations.size(); ++o)
        if (before.operations[o].kind == OpKind::ShardingConstraint)
            program->operations[o].attributes = before.operations[o].attributes;
    applied.input.program = std::move(program);
    return applied;
}

PropagationResult run(const PropagationInput& input, const std::vector<passes::AppliedConstraint>& applied)
{
    Driver driver(input);
    for (const passes::AppliedConstraint& each : applied)
        driver.copyConstraint(input.program->operation(each.by), each.by);
    if (input.strategy == Strategy::Basic || input.strategy == Strategy::Aggressive) {
        driver.run(-1);
        return std::move(driver).finish();
    }
    const auto runRounds = [&] {
        for (int round = 0; round < operationPriorityRounds; ++round)
            driver.run(round);
    };
    std::vector<std::int32_t> priorities;
    if (input.strategy == Strategy::Full)
        priorities = driver.holdBack();
    runRounds();
    for (const std::int32_t priority : priorities) {
        driver.restore(priority);
        runRounds();
    }
    return std::move(driver).finish();
}

} // namespace

PropagationResult propagate(const PropagationInput& input)
{
    if (const std::optional<Applied> applied = applyConstraints(input))
        return run(applied->input, applied->constraints);
    return run(input, {});
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/propagate.h"

#include <algorithm>

#include "propagation/driver.h"

namespace shardscope {

namespace {

const TensorSharding* at(const std::vector<std::optional<TensorSharding>>& list, std::size_t index)
{
    return index < list.size() && list[index] ? &*list[index] : nullptr;
}

bool isFullyClosed(const TensorSharding& sharding)
{
    return std::none_of(
        sharding.dims.begin(), sharding.dims.end(), [](const DimensionSharding& dim) { return dim.open; });
}

/// A value without a sharding of its own gets that of its constraint if that is fully closed and no other constraint on
/// the value asks for anything else: it would be resharded at once otherwise.
void applyConstraints(Driver& driver, const PropagationInput& input)
{
    const Program& program = *input.program;
    std::vector<char> annotated(program.values.size(), 0);
    for (std::size_t a = 0; a < program.main().arguments.size(); ++a)
        annotated[program.main().arguments[a].index] = at(input.arguments, a) ? 1 : 0;
    for (std::size_t o = 0; o < program.operations.size(); ++o)
        if (at(input.constraints, o) && !program.operations[o].results.empty())
            annotated[program.operations[o].results.front().index] = 1;
    // Per value: the constraint of its users, unless two of them differ.
    std::vector<const TensorSharding*> wanted(program.values.size(), nullptr);
    std::vector<char> disputed(program.values.size(), 0);
    const auto isActive = [&](std::size_t operation) {
        return program.operations[operation].kind == OpKind::ShardingConstraint && at(input.constraints, operation);
    };
    for (std::size_t o = 0; o < program.operations.size(); ++o) {
        if (!isActive(o))
            continue;
        const std::uint32_t value = program.operations[o].operands.front().index;
        if (wanted[value] && !(*wanted[value] == *input.constraints[o]))
            disputed[value] = 1;
        wanted[value] = &*input.constraints[o];
    }
    for (std::size_t o = 0; o < program.operations.size(); ++o) {
        if (!isActive(o))
            continue;
        const std::uint32_t value = program.operations[o].operands.front().index;
        if (annotated[value] || disputed[value] || !isFullyClosed(*input.constraints[o]))
            continue;
        annotated[value] = 1;
        driver.copyConstraint(program.operations[o], OperationId(o));
    }
}

} // namespace

PropagationResult propagate(const PropagationInput& input)
{
    Driver driver(input);
    if (input.options.applyConstraints)
        applyConstraints(driver, input);
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

} // namespace shardscope

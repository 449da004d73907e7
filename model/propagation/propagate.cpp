// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/propagate.h"

#include <algorithm>

#include "propagation/driver.h"

namespace shardscope {

namespace {

/// What is given, spread over the values; `annotated` says where something is.
struct Given {
    std::vector<TensorSharding> values;
    std::vector<TensorSharding> results;
    std::vector<char> annotated;
    std::vector<PropagationStep> seeds;
};

const TensorSharding* at(const std::vector<std::optional<TensorSharding>>& list, std::size_t index)
{
    return index < list.size() && list[index] ? &*list[index] : nullptr;
}

void addSeeds(Given& given, SeedKind kind, ValueId value, const TensorSharding& sharding)
{
    PropagationStep seed;
    seed.seed = kind;
    seed.to = value;
    for (std::size_t d = 0; d < sharding.dims.size(); ++d) {
        seed.toDimension = static_cast<std::int16_t>(d);
        for (const AxisRef& axis : sharding.dims[d].axes) {
            seed.axis = axis;
            given.seeds.push_back(seed);
        }
    }
}

void annotate(Given& given, SeedKind kind, ValueId value, const TensorSharding& sharding)
{
    given.values[value.index] = sharding;
    given.annotated[value.index] = 1;
    addSeeds(given, kind, value, sharding);
}

Given collect(const PropagationInput& input)
{
    const Program& program = *input.program;
    Given given;
    given.values.reserve(program.values.size());
    for (const Value& value : program.values)
        given.values.push_back(TensorSharding::open(value.type.rank()));
    given.annotated.assign(program.values.size(), 0);
    for (std::size_t a = 0; a < program.main().arguments.size(); ++a) {
        if (const TensorSharding* sharding = at(input.arguments, a))
            annotate(given, SeedKind::Argument, program.main().arguments[a], *sharding);
    }
    for (std::size_t o = 0; o < program.operations.size(); ++o) {
        const TensorSharding* sharding = at(input.constraints, o);
        if (sharding && !program.operations[o].results.empty())
            annotate(given, SeedKind::Constraint, program.operations[o].results.front(), *sharding);
    }
    for (std::size_t r = 0; r < program.main().results.size(); ++r) {
        const ValueId returned = program.main().results[r];
        if (const TensorSharding* sharding = at(input.results, r)) {
            given.results.push_back(*sharding);
            addSeeds(given, SeedKind::Result, returned, *sharding);
        } else {
            given.results.push_back(TensorSharding::open(program.value(returned).type.rank()));
        }
    }
    return given;
}

bool isFullyClosed(const TensorSharding& sharding)
{
    return std::none_of(
        sharding.dims.begin(), sharding.dims.end(), [](const DimensionSharding& dim) { return dim.open; });
}

/// A value without a sharding of its own gets that of its constraint if that is fully closed and no other constraint on
/// the value asks for anything else: it would be resharded at once otherwise.
void applyConstraints(Driver& driver, const PropagationInput& input, Given& given)
{
    const Program& program = *input.program;
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
        if (given.annotated[value] || disputed[value] || !isFullyClosed(*input.constraints[o]))
            continue;
        given.annotated[value] = 1;
        driver.copyConstraint(program.operations[o], OperationId(o));
    }
}

} // namespace

PropagationResult propagate(const PropagationInput& input)
{
    Given given = collect(input);
    Driver driver(input, std::move(given.values), std::move(given.results));
    for (const PropagationStep& seed : given.seeds)
        driver.record(seed);
    applyConstraints(driver, input, given);
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/partition.h"

#include <algorithm>
#include <limits>

#include "base/codes.h"
#include "partition/export_shardings.h"
#include "partition/partition_program.h"

namespace shardscope {

std::vector<TensorSharding> shownShardings(const Program& program, const PropagationResult& propagated)
{
    const Mesh& mesh = *program.meshes.front().mesh;
    std::vector<TensorSharding> final;
    final.reserve(propagated.shardings.size());
    for (const TensorSharding& sharding : propagated.shardings)
        final.push_back(closed(sharding));
    for (const ValueId argument : program.main().arguments)
        final[argument.index] =
            closed(dividing(propagated.shardings[argument.index], program.value(argument).type.shape, mesh));
    return final;
}

Program propagatedNetwork(Program program, const PropagationResult& propagated)
{
    const Mesh& mesh = *program.meshes.front().mesh;
    const std::vector<TensorSharding> final = shownShardings(program, propagated);
    std::vector<std::optional<TensorSharding>> declared;
    for (const ShardingIndex index : program.functions.front().resultShardings)
        declared.push_back(index == 0 ? std::nullopt : std::optional(program.shardings[index - 1].sharding));
    program.shardings.clear();
    program.functions.front().resultShardings.clear();
    const auto add = [&](TensorSharding sharding) -> ShardingIndex {
        if (sharding.isFullyReplicated())
            return 0;
        program.shardings.push_back({ 0, std::move(sharding), ReduceKind::Sum });
        return static_cast<ShardingIndex>(program.shardings.size());
    };
    program.valueShardings.assign(program.values.size(), 0);
    for (std::size_t v = 0; v < program.values.size(); ++v)
        program.valueShardings[v] = add(final[v]);
    for (const OperationId id : program.main().operations) {
        Operation& operation = program.operations[id.index];
        if (operation.kind != OpKind::ShardingConstraint)
            continue;
        ConstraintAttributes attributes;
        attributes.annotation = GivenSharding{ std::make_shared<const ProgramSharding>(
            ProgramSharding{ 0, final[operation.results[0].index], ReduceKind::Sum }) };
        operation.attributes = std::move(attributes);
        program.valueShardings[operation.results[0].index] = 0;
    }
    const std::vector<ValueId>& returned = program.main().results;
    std::vector<ValueId> replaced(returned.size()); // per result: the argument of the state, if any
    for (auto pair = program.state.rbegin(); pair != program.state.rend(); ++pair)
        if (pair->result < replaced.size())
            replaced[pair->result] = pair->argument;
    for (std::size_t r = 0; r < returned.size(); ++r) {
        const ValueId value = returned[r];
        // What replaces an argument comes back as the argument will be expected.
        TensorSharding target = replaced[r].valid()
            ? final[replaced[r].index]
            : resultSharding(declared[r] ? &*declared[r] : nullptr, propagated.shardings[value.index],
                program.value(value).type.shape, mesh);
        program.functions.front().resultShardings.push_back(add(std::move(target)));
    }
    return program;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/partition.h"

#include <algorithm>
#include <limits>

#include "base/codes.h"
#include "partition/export_shardings.h"
#include "partition/partition_program.h"

namespace shardscope {

std::vector<TensorSharding> shownShardings(const PropagationInput& input, const PropagationResult& propagated)
{
    std::vector<TensorSharding> final;
    final.reserve(propagated.shardings.size());
    for (const TensorSharding& sharding : propagated.shardings)
        final.push_back(closed(sharding));
    for (const ValueId argument : input.program->main().arguments)
        final[argument.index] = closed(
            dividing(propagated.shardings[argument.index], input.program->value(argument).type.shape, *input.mesh));
    return final;
}

Program propagatedNetwork(const PropagationInput& input, const PropagationResult& propagated)
{
    Program program = *input.program;
    const Mesh& mesh = *input.mesh;
    ProgramMesh own;
    own.name = "mesh";
    own.mesh = input.mesh;
    program.meshes.push_back(std::move(own));
    Function main;
    main.name = "main";
    main.body = RegionId(0);
    program.functions.push_back(std::move(main));
    const auto add = [&](TensorSharding sharding) -> ShardingIndex {
        if (sharding.isFullyReplicated())
            return 0;
        program.shardings.push_back({ 0, std::move(sharding), ReduceKind::Sum });
        return static_cast<ShardingIndex>(program.shardings.size());
    };
    const std::vector<TensorSharding> final = shownShardings(input, propagated);
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
            : resultSharding(r < input.results.size() && input.results[r] ? &*input.results[r] : nullptr,
                propagated.shardings[value.index], program.value(value).type.shape, mesh);
        program.functions.front().resultShardings.push_back(add(std::move(target)));
    }
    return program;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/annotated_program.h"

#include "program/over_mesh.h"

namespace shardscope {

Program annotatedProgram(const Program& source, MeshPtr mesh, const AnnotationShardings& shardings)
{
    Program program = overMesh(source, std::move(mesh));
    const auto index = mainMesh(program).value_or(static_cast<std::uint32_t>(program.meshes.size() - 1));
    program.argumentAnnotations.clear();
    program.resultAnnotations.clear();
    program.valueShardings.resize(program.values.size(), 0);
    if (program.functions.empty()) {
        Function main;
        main.name = "main";
        main.body = RegionId(0);
        program.functions.push_back(std::move(main));
    }
    std::vector<ShardingIndex>& results = program.functions.front().resultShardings;
    results.resize(program.main().results.size(), 0);

    const auto give = [&](ShardingIndex& place, const std::vector<std::optional<TensorSharding>>& list, std::size_t i) {
        if (i >= list.size() || !list[i])
            return;
        program.shardings.push_back({ index, *list[i], ReduceKind::Sum });
        place = static_cast<ShardingIndex>(program.shardings.size());
    };
    for (std::size_t a = 0; a < program.main().arguments.size(); ++a)
        give(program.valueShardings[program.main().arguments[a].index], shardings.arguments, a);
    for (std::size_t r = 0; r < results.size(); ++r)
        give(results[r], shardings.results, r);
    for (std::size_t o = 0; o < program.operations.size(); ++o) {
        Operation& operation = program.operations[o];
        if (auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes)) {
            if (o < shardings.constraints.size() && shardings.constraints[o])
                constraint->annotation = GivenSharding{ std::make_shared<const ProgramSharding>(
                    ProgramSharding{ index, *shardings.constraints[o], ReduceKind::Sum }) };
            else if (!std::holds_alternative<GivenSharding>(constraint->annotation))
                constraint->annotation = {};
        } else if (!operation.results.empty()) {
            give(program.valueShardings[operation.results[0].index], shardings.constraints, o);
        }
    }
    return program;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/annotated_program.h"

namespace shardscope {

Program annotatedProgram(Program program, MeshPtr mesh, const AnnotationShardings& shardings)
{
    ProgramMesh only;
    only.name = "mesh";
    only.mesh = std::move(mesh);
    program.meshes.push_back(std::move(only));
    program.argumentAnnotations.clear();
    program.resultAnnotations.clear();
    program.valueShardings.assign(program.values.size(), 0);
    Function main;
    main.name = "main";
    main.body = RegionId(0);

    const auto indexOf = [&](const std::vector<std::optional<TensorSharding>>& list, std::size_t i) -> ShardingIndex {
        if (i >= list.size() || !list[i])
            return 0;
        program.shardings.push_back({ 0, *list[i], ReduceKind::Sum });
        return static_cast<ShardingIndex>(program.shardings.size());
    };
    for (std::size_t a = 0; a < program.main().arguments.size(); ++a)
        program.valueShardings[program.main().arguments[a].index] = indexOf(shardings.arguments, a);
    for (std::size_t r = 0; r < program.main().results.size(); ++r)
        main.resultShardings.push_back(indexOf(shardings.results, r));
    for (std::size_t o = 0; o < program.operations.size(); ++o) {
        Operation& operation = program.operations[o];
        if (operation.kind == OpKind::ShardingConstraint) {
            ConstraintAttributes constraint;
            if (o < shardings.constraints.size() && shardings.constraints[o])
                constraint.annotation = GivenSharding{ std::make_shared<const ProgramSharding>(
                    ProgramSharding{ 0, *shardings.constraints[o], ReduceKind::Sum }) };
            operation.attributes = std::move(constraint);
        } else if (!operation.results.empty()) {
            program.valueShardings[operation.results[0].index] = indexOf(shardings.constraints, o);
        }
    }
    program.functions.push_back(std::move(main));
    return program;
}

} // namespace shardscope

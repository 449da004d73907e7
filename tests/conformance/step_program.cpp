// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/step_program.h"

#include "rules/name_to_name.h"

namespace shardscope::conformance {

namespace {

std::optional<TensorSharding> seedOf(
    const Annotation& annotation, const Mesh& mesh, std::size_t rank, const LogicalRules& rules)
{
    if (const auto* device = std::get_if<DeviceAxes>(&annotation))
        return toTensorSharding(device->spec, mesh, rank);
    if (const auto* logical = std::get_if<LogicalAxes>(&annotation))
        return toTensorSharding(resolveRules(logical->names, rules, FlaxVersion::Current).value().spec(), mesh, rank);
    return std::nullopt;
}

} // namespace

AnnotatedInput annotatedOnMesh(Program program, MeshPtr mesh, const LogicalRules& rules)
{
    AnnotatedInput input;
    input.program = std::make_shared<const Program>(std::move(program));
    input.mesh = std::move(mesh);
    const Program& p = *input.program;
    const auto seed = [&](const Annotation& annotation, ValueId value) {
        return seedOf(annotation, *input.mesh, p.value(value).type.rank(), rules);
    };
    for (std::size_t i = 0; i < p.main().arguments.size(); ++i)
        input.arguments.push_back(seed(p.argumentAnnotations[i], p.main().arguments[i]));
    input.results.resize(p.main().results.size());
    input.constraints.resize(p.operations.size());
    for (std::size_t i = 0; i < p.operations.size(); ++i)
        if (const auto* constraint = std::get_if<ConstraintAttributes>(&p.operations[i].attributes))
            input.constraints[i] = seed(constraint->annotation, p.operations[i].results[0]);
    return input;
}

} // namespace shardscope::conformance

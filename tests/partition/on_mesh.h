// SPDX-License-Identifier: GPL-3.0-or-later
// From a program with annotations to its device program, for tests of the later stages.
#pragma once

#include <memory>
#include <stdexcept>

#include "networks/mlp.h"
#include "partition/partition_program.h"
#include "program/builder.h"
#include "propagation/annotated_input.h"

namespace shardscope {

inline MeshPtr meshOf(std::vector<MeshAxis> axes)
{
    return std::make_shared<const Mesh>(Mesh::create(std::move(axes)).value());
}

inline std::optional<TensorSharding> seedOf(
    const Annotation& annotation, const Mesh& mesh, std::size_t rank, const LogicalRules& rules)
{
    if (const auto* device = std::get_if<DeviceAxes>(&annotation))
        return toTensorSharding(device->spec, mesh, rank);
    if (const auto* logical = std::get_if<LogicalAxes>(&annotation))
        return toTensorSharding(resolve(logical->names, rules, FlaxVersion::Current).value().spec(), mesh, rank);
    return std::nullopt;
}

inline AnnotatedInput annotated(Program program, MeshPtr mesh, const LogicalRules& rules = {})
{
    AnnotatedInput input;
    input.program = std::make_shared<const Program>(std::move(program));
    input.mesh = std::move(mesh);
    const Program& p = *input.program;
    for (std::size_t i = 0; i < p.main().arguments.size(); ++i)
        input.arguments.push_back(
            seedOf(p.argumentAnnotations[i], *input.mesh, p.value(p.main().arguments[i]).type.rank(), rules));
    for (std::size_t i = 0; i < p.main().results.size(); ++i)
        input.results.push_back(
            seedOf(p.resultAnnotations[i], *input.mesh, p.value(p.main().results[i]).type.rank(), rules));
    input.constraints.resize(p.operations.size());
    for (std::size_t i = 0; i < p.operations.size(); ++i)
        if (const auto* constraint = std::get_if<ConstraintAttributes>(&p.operations[i].attributes))
            input.constraints[i] =
                seedOf(constraint->annotation, *input.mesh, p.value(p.operations[i].results[0]).type.rank(), rules);
    return input;
}

/// A mesh with the batch over all axes but `model`.
inline MeshPtr mlpMesh(std::int64_t pod, std::int64_t data, std::int64_t model)
{
    std::vector<MeshAxis> axes{ { "data", data }, { "model", model } };
    if (pod > 0)
        axes.insert(axes.begin(), { "pod", pod });
    return meshOf(std::move(axes));
}

inline AnnotatedInput mlpOnMesh(MlpSettings settings, MeshPtr mesh)
{
    const bool pods = mesh->axisIndex("pod").has_value();
    const SpecEntry batch = pods ? SpecEntry::tuple({ "pod", "data" }) : SpecEntry::axis("data");
    settings.deviceAxes["batch"] = batch;
    LogicalRules rules;
    rules.list = { { LogicalName::of("batch"), batch }, { LogicalName::of("hidden"), SpecEntry::axis("model") },
        { LogicalName::of("embed"), SpecEntry::none() } };
    return annotated(buildMlp(settings).value(), std::move(mesh), rules);
}

} // namespace shardscope

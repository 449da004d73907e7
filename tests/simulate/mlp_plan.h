// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of the MLP's train step on a mesh, for tests and benchmarks. Without Qt.
#pragma once

#include <memory>
#include <vector>

#include "networks/mlp.h"
#include "partition/partition_program.h"
#include "propagation/annotated_input.h"
#include "schedule/flat_network.h"
#include "schedule/plan.h"
#include "sharding/tensor_sharding.h"

namespace shardscope::test {

using ProgramOnDevices = std::shared_ptr<const FlatProgram>;
using PlanPtr = std::shared_ptr<const Plan>;

/// What a test says of the dimensions of an array.
inline Annotation onAxes(std::vector<SpecEntry> entries)
{
    PartitionSpec spec;
    spec.entries = std::move(entries);
    return DeviceAxes{ std::move(spec) };
}

/// Aborts on an error: these programs are legal.
inline MeshPtr makeMesh(std::vector<MeshAxis> axes)
{
    return std::make_shared<const Mesh>(Mesh::create(std::move(axes)).value());
}

/// A program whose annotations are device axes, partitioned over the mesh. Axes that the mesh lacks shard nothing.
inline AnnotatedInput annotatedOn(Program made, const MeshPtr& mesh)
{
    AnnotatedInput input;
    input.program = std::make_shared<const Program>(std::move(made));
    input.mesh = mesh;
    const Program& program = *input.program;
    const auto seed = [&](const Annotation& annotation, ValueId value) -> std::optional<TensorSharding> {
        if (const auto* axes = std::get_if<DeviceAxes>(&annotation))
            return toTensorSharding(axes->spec, *mesh, program.value(value).type.rank());
        return std::nullopt;
    };
    for (std::size_t a = 0; a < program.main().arguments.size(); ++a)
        input.arguments.push_back(seed(program.argumentAnnotations[a], program.main().arguments[a]));
    for (std::size_t r = 0; r < program.main().results.size(); ++r)
        input.results.push_back(seed(program.resultAnnotations[r], program.main().results[r]));
    for (const Operation& operation : program.operations) {
        const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes);
        input.constraints.push_back(constraint ? seed(constraint->annotation, operation.results[0]) : std::nullopt);
    }
    return input;
}

inline ProgramOnDevices onDevices(Program made, const MeshPtr& mesh)
{
    return flatNetwork(annotatedOn(std::move(made), mesh)).value();
}

/// The notebook's model: batch over `data` (and `pod`, if the mesh has that axis), hidden over `model`.
inline Program mlpFor(MlpSettings settings, const Mesh& mesh)
{
    settings.axes = MlpSettings::Axes::Device;
    settings.yConstraint = MlpSettings::Axes::Device;
    settings.deviceAxes["batch"] =
        mesh.axisIndex("pod") ? SpecEntry::tuple({ "pod", "data" }) : SpecEntry::axis("data");
    return buildMlp(settings).value();
}

inline ProgramOnDevices mlpOnDevices(const MlpSettings& settings, const MeshPtr& mesh)
{
    return onDevices(mlpFor(settings, *mesh), mesh);
}

inline PlanPtr makePlan(const ProgramOnDevices& program, const ScheduleOptions& options = {})
{
    return std::make_shared<const Plan>(schedule(program, options).value());
}

inline std::vector<ValueId> gradientsOf(const Program& program)
{
    std::vector<ValueId> gradients;
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (program.values[v].role == Role::Gradient)
            gradients.emplace_back(v);
    return gradients;
}

} // namespace shardscope::test

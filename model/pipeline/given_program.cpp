// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/given_program.h"

#include "pipeline/program_layout.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

namespace {

/// Annotations become shardings over the only mesh.
class Giver {
public:
    Giver(Program& program, const Mesh& mesh)
        : m_program(program)
        , m_mesh(mesh)
    {
    }

    void give(const Annotations& annotations)
    {
        m_program.valueShardings.resize(m_program.values.size(), 0);
        for (const ResolvedAnnotation& argument : annotations.arguments)
            m_program.valueShardings[argument.value.index] = indexOf(argument);
        for (const ResolvedAnnotation& result : annotations.results)
            m_program.functions.front().resultShardings.push_back(indexOf(result));
        for (const ResolvedAnnotation& constraint : annotations.constraints) {
            ConstraintAttributes attributes; // asks for nothing
            if (std::optional<TensorSharding> own = shardingOf(constraint))
                attributes.annotation = GivenSharding{ std::make_shared<const ProgramSharding>(
                    ProgramSharding{ 0, std::move(*own), ReduceKind::Sum }) };
            m_program.operations[constraint.operation.index].attributes = std::move(attributes);
        }
    }

private:
    [[nodiscard]] std::optional<TensorSharding> shardingOf(const ResolvedAnnotation& annotation) const
    {
        if (!annotation.spec)
            return std::nullopt;
        return toTensorSharding(*annotation.spec, m_mesh, m_program.value(annotation.value).type.rank());
    }
    ShardingIndex indexOf(const ResolvedAnnotation& annotation)
    {
        std::optional<TensorSharding> own = shardingOf(annotation);
        if (!own)
            return 0;
        m_program.shardings.push_back({ 0, std::move(*own), ReduceKind::Sum });
        return static_cast<ShardingIndex>(m_program.shardings.size());
    }

    Program& m_program;
    const Mesh& m_mesh;
};

} // namespace

Program asModule(Program network, MeshPtr mesh)
{
    ProgramMesh own;
    own.name = "mesh";
    own.mesh = std::move(mesh);
    network.meshes.push_back(std::move(own));
    network.argumentAnnotations.clear();
    network.resultAnnotations.clear();
    Function main;
    main.name = "main";
    main.body = RegionId(0);
    network.functions.push_back(std::move(main));
    return network;
}

std::optional<Program> givenProgram(const Snapshot& snapshot)
{
    if (!snapshot.program || !snapshot.mesh)
        return std::nullopt;
    if (std::holds_alternative<ProgramModel>(snapshot.experiment->model))
        return snapshot.asRead ? std::optional(programOf(snapshot)) : std::nullopt;
    if (!snapshot.annotations)
        return std::nullopt;
    Program program = asModule(*snapshot.program, snapshot.mesh);
    Giver(program, *snapshot.mesh).give(*snapshot.annotations);
    return program;
}

} // namespace shardscope

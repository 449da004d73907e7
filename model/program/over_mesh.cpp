// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/over_mesh.h"

#include <algorithm>

#include "program/program_mesh.h"
#include "program/wide_attributes.h"

namespace shardscope {

namespace {

bool hasAxes(const ProgramMesh& mesh)
{
    return !mesh.undeclared && !mesh.illegal && !mesh.isMaximal() && mesh.mesh->rank() > 0;
}

class Mover {
public:
    Mover(Program& program, MeshPtr mesh)
        : m_program(program)
        , m_before(program.meshes)
        , m_moves(program.meshes.size(), false)
    {
        const std::optional<std::uint32_t> main = mainMesh(program);
        if (!main) {
            ProgramMesh added{ "mesh", std::move(mesh) };
            program.meshes.push_back(std::move(added));
            return;
        }
        for (std::size_t i = 0; i < m_before.size(); ++i) {
            if (!hasAxes(m_before[i]) || !(*m_before[i].mesh == *m_before[*main].mesh))
                continue;
            m_moves[i] = true;
            program.meshes[i].mesh = mesh;
            program.meshes[i].strays.clear();
        }
    }

    void run()
    {
        if (std::none_of(m_moves.begin(), m_moves.end(), [](bool moves) { return moves; }))
            return;
        for (ProgramSharding& sharding : m_program.shardings)
            move(sharding);
        for (Annotation& annotation : m_program.argumentAnnotations)
            move(annotation);
        for (Annotation& annotation : m_program.resultAnnotations)
            move(annotation);
        for (Operation& operation : m_program.operations) {
            if (auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes))
                move(constraint->annotation);
            else if (const auto* held = std::get_if<Wide>(&operation.attributes))
                std::visit([&](const auto& attributes) { moveWithin(operation, attributes); }, held->held->value);
        }
    }

private:
    AxisRef moved(AxisRef ref, std::uint32_t mesh)
    {
        const ProgramMesh& before = m_before[mesh];
        ProgramMesh& after = m_program.meshes[mesh];
        if (const StrayAxis* stray = strayAxis(before, ref))
            return axisReference(
                after, stray->name, stray->isPart ? std::optional(SubAxis{ stray->pre, stray->size }) : std::nullopt);
        const std::string& name = before.mesh->axis(static_cast<std::size_t>(ref.axis)).name;
        if (isWhole(*before.mesh, ref))
            return axisReference(after, name);
        return axisReference(after, name, SubAxis{ ref.pre, ref.size });
    }

    void move(AxisList& list, std::uint32_t mesh)
    {
        for (AxisRef& ref : list)
            ref = moved(ref, mesh);
    }

    void move(ProgramSharding& sharding)
    {
        if (!m_moves[sharding.mesh])
            return;
        for (DimensionSharding& dim : sharding.sharding.dims)
            move(dim.axes, sharding.mesh);
        for (AxisList* list : { &sharding.sharding.replicated, &sharding.sharding.unreduced }) {
            move(*list, sharding.mesh);
            std::sort(list->begin(), list->end()); // the new mesh may have its axes in another order
        }
    }

    void move(Annotation& annotation)
    {
        if (auto* given = std::get_if<GivenSharding>(&annotation)) {
            ProgramSharding sharding = *given->given;
            move(sharding);
            given->given = std::make_shared<const ProgramSharding>(std::move(sharding));
        }
    }

    template <class T>
    void moveWithin(Operation&, const T&)
    {
    }
    void moveWithin(Operation& operation, const OwnShardingAttributes& own)
    {
        OwnShardingAttributes changed = own;
        if (changed.sharding)
            move(*changed.sharding);
        operation.attributes = wide(std::move(changed));
    }
    template <class Computation>
    void moveComputation(Operation& operation, Computation changed)
    {
        for (std::vector<ProgramSharding>* list : { &changed.in, &changed.out })
            for (ProgramSharding& sharding : *list)
                move(sharding);
        operation.attributes = wide(std::move(changed));
    }
    void moveWithin(Operation& operation, const ManualComputationAttributes& own) { moveComputation(operation, own); }
    void moveWithin(Operation& operation, const NamedComputationAttributes& own) { moveComputation(operation, own); }
    void moveWithin(Operation& operation, const SdyCollectiveAttributes& own)
    {
        SdyCollectiveAttributes changed = own;
        const std::uint32_t mesh = own.out.mesh;
        if (!m_moves[mesh])
            return;
        for (AxisList& list : changed.axesPerDimension)
            move(list, mesh);
        move(changed.axes, mesh);
        for (AxisMove& each : changed.moves)
            move(each.axes, mesh);
        move(changed.out);
        operation.attributes = wide(std::move(changed));
    }

    Program& m_program;
    const std::vector<ProgramMesh> m_before;
    std::vector<bool> m_moves; ///< per mesh
};

} // namespace

std::optional<std::uint32_t> mainMesh(const Program& program)
{
    const auto found = std::find_if(program.meshes.begin(), program.meshes.end(), hasAxes);
    if (found == program.meshes.end())
        return std::nullopt;
    return static_cast<std::uint32_t>(found - program.meshes.begin());
}

Program overMesh(const Program& program, MeshPtr mesh)
{
    Program moved = program;
    Mover(moved, std::move(mesh)).run();
    return moved;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/over_mesh.h"

#include <algorithm>

#include "mesh/mesh_in_axes.h"
#include "program/calls.h"
#include "program/function_names.h"
#include "program/other_attributes.h"
#include "program/program_mesh.h"
#include "program/value_shardings.h"

namespace shardscope {

namespace {

bool hasAxes(const ProgramMesh& mesh)
{
    return !mesh.undeclared && !mesh.illegal && !mesh.isMaximal() && mesh.mesh->rank() > 0;
}

/// The bodies that main and what it calls consist of.
std::vector<RegionId> reachedFromMain(const Program& program)
{
    const FunctionNames names(program);
    std::vector<char> seen(program.regions.size(), 0);
    std::vector<RegionId> reached;
    const auto reach = [&](RegionId id) {
        if (id.index < seen.size() && std::exchange(seen[id.index], char{ 1 }) == 0)
            reached.push_back(id);
    };
    if (!program.regions.empty())
        reach(RegionId(std::size_t{ 0 }));
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const OperationId id : program.regions[reached[i].index].operations) {
            const Operation& operation = program.operation(id);
            for (const RegionId inner : operation.regions)
                reach(inner);
            if (const std::string* callee = calleeOf(operation))
                if (const Function* function = names.find(program, *callee))
                    reach(function->body);
        }
    return reached;
}

bool hasDevices(const AxisList& axes)
{
    return std::any_of(axes.begin(), axes.end(), [](AxisRef ref) { return ref.size > 1; });
}

MeshUse useOf(const ProgramSharding& sharding)
{
    const auto& dims = sharding.sharding.dims;
    return hasDevices(sharding.sharding.replicated) || hasDevices(sharding.sharding.unreduced)
            || std::any_of(dims.begin(), dims.end(), [](const DimensionSharding& dim) { return hasDevices(dim.axes); })
        ? MeshUse::Axes
        : MeshUse::Named;
}

/// Devices exchange along axes of the mesh of its result, whether that is sharded or not.
bool exchanges(const SdyCollectiveAttributes& collective)
{
    return hasDevices(collective.axes)
        || std::any_of(collective.axesPerDimension.begin(), collective.axesPerDimension.end(), hasDevices)
        || std::any_of(collective.moves.begin(), collective.moves.end(),
            [](const AxisMove& move) { return hasDevices(move.axes); });
}

/// Puts other meshes in the place of some.
class Mover {
public:
    /// Per mesh the one to take its place; null where it stays.
    Mover(Program& program, const std::vector<MeshPtr>& to)
        : m_program(program)
        , m_before(program.meshes)
        , m_moves(program.meshes.size(), false)
    {
        for (std::size_t i = 0; i < to.size(); ++i) {
            if (!to[i])
                continue;
            m_moves[i] = true;
            program.meshes[i].mesh = to[i];
            program.meshes[i].invalidAxes.clear();
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
            else if (const auto* held = std::get_if<SharedAttributes>(&operation.attributes))
                std::visit([&](const auto& attributes) { moveWithin(operation, attributes); }, held->held->value);
        }
    }

private:
    AxisRef moved(AxisRef ref, std::uint32_t mesh)
    {
        const ProgramMesh& before = m_before[mesh];
        ProgramMesh& after = m_program.meshes[mesh];
        if (const InvalidAxis* invalid = invalidAxis(before, ref))
            return axisReference(after, invalid->name,
                invalid->isPart ? std::optional(SubAxis{ invalid->pre, invalid->size }) : std::nullopt);
        const std::string& name = before.mesh->axis(static_cast<std::size_t>(ref.axis)).name;
        if (isFull(*before.mesh, ref))
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
        if (auto* specified = std::get_if<ExplicitSharding>(&annotation)) {
            ProgramSharding sharding = *specified->specified;
            move(sharding);
            specified->specified = std::make_shared<const ProgramSharding>(std::move(sharding));
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
        operation.attributes = otherAttributes(std::move(changed));
    }
    template <class Computation>
    void moveComputation(Operation& operation, Computation changed)
    {
        for (std::vector<ProgramSharding>* list : { &changed.in, &changed.out })
            for (ProgramSharding& sharding : *list)
                move(sharding);
        operation.attributes = otherAttributes(std::move(changed));
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
        operation.attributes = otherAttributes(std::move(changed));
    }

    Program& m_program;
    const std::vector<ProgramMesh> m_before;
    std::vector<bool> m_moves; ///< per mesh
};

} // namespace

std::vector<MeshUse> meshUses(const Program& program)
{
    std::vector<MeshUse> uses(program.meshes.size(), MeshUse::Unused);
    const auto note = [&](const ProgramSharding& sharding, bool usesAxes = false) {
        if (sharding.mesh < uses.size())
            uses[sharding.mesh] = std::max(uses[sharding.mesh], usesAxes ? MeshUse::Axes : useOf(sharding));
    };
    const auto noteIndex = [&](ShardingIndex index) {
        if (index != 0)
            note(program.shardings[index - 1]);
    };
    const auto noteAnnotation = [&](const Annotation& annotation) {
        if (const auto* specified = std::get_if<ExplicitSharding>(&annotation))
            note(*specified->specified);
    };
    const auto noteValue = [&](ValueId value) {
        if (value.index < program.valueShardings.size())
            noteIndex(program.valueShardings[value.index]);
    };
    const auto noteBoundaries = [&](const auto& computation, bool manual) {
        for (const auto* list : { &computation.in, &computation.out })
            for (const ProgramSharding& sharding : *list)
                note(sharding, manual);
    };
    for (const Annotation& annotation : program.argumentAnnotations)
        noteAnnotation(annotation);
    for (const Annotation& annotation : program.resultAnnotations)
        noteAnnotation(annotation);
    std::vector<char> isReached(program.regions.size(), 0);
    for (const RegionId id : reachedFromMain(program)) {
        isReached[id.index] = 1;
        const Region& region = program.regions[id.index];
        for (const ValueId argument : region.arguments)
            noteValue(argument);
        for (const OperationId operationId : region.operations) {
            const Operation& operation = program.operation(operationId);
            for (const ValueId result : operation.results)
                noteValue(result);
            const auto* collective = attributesAs<SdyCollectiveAttributes>(operation.attributes);
            if (const ProgramSharding* own = ownSharding(operation))
                note(*own, collective && exchanges(*collective));
            if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes))
                noteBoundaries(*manual, !manual->manualAxes.empty());
            else if (const auto* named = attributesAs<NamedComputationAttributes>(operation.attributes))
                noteBoundaries(*named, false);
        }
    }
    for (const Function& function : program.functions)
        if (function.body.index < isReached.size() && isReached[function.body.index] != 0)
            for (const ShardingIndex index : function.resultShardings)
                noteIndex(index);
    return uses;
}

MeshPtr inAxisOrderOf(const Mesh& main, const Mesh& other)
{
    if (main.rank() != other.rank() || main.rank() == 0)
        return nullptr;
    std::vector<AxisList> axes(other.rank());
    for (std::size_t axis = 0; axis < main.rank(); ++axis) {
        const auto index = other.axisIndex(main.axis(axis).name);
        if (!index || other.size(*index) != main.size(axis))
            return nullptr;
        axes[*index] = { fullAxis(main, axis) };
    }
    return overAxes(main, other, axes);
}

std::optional<std::uint32_t> mainMesh(const Program& program)
{
    std::vector<std::uint32_t> candidates;
    for (std::size_t i = 0; i < program.meshes.size(); ++i)
        if (hasAxes(program.meshes[i]))
            candidates.push_back(static_cast<std::uint32_t>(i));
    if (candidates.empty())
        return std::nullopt;
    if (candidates.size() == 1)
        return candidates.front();
    const std::vector<MeshUse> uses = meshUses(program);
    return *std::max_element(
        candidates.begin(), candidates.end(), [&](std::uint32_t a, std::uint32_t b) { return uses[a] < uses[b]; });
}

Program overMesh(const Program& program, MeshPtr mesh)
{
    Program moved = program;
    const std::optional<std::uint32_t> main = mainMesh(program);
    if (!main) {
        moved.meshes.push_back({ "mesh", std::move(mesh) });
        return moved;
    }
    std::vector<MeshPtr> to(program.meshes.size());
    for (std::size_t i = 0; i < to.size(); ++i)
        if (hasAxes(program.meshes[i]) && *program.meshes[i].mesh == *program.meshes[*main].mesh)
            to[i] = mesh;
    Mover(moved, to).run();
    return moved;
}

Program overMeshes(Program program, const std::vector<MeshPtr>& to)
{
    Mover(program, to).run();
    return program;
}

} // namespace shardscope

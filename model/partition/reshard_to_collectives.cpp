// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/reshard_to_collectives.h"

#include <algorithm>
#include <optional>
#include <span>

#include "partition/reshard.h"
#include "program/unreduced_axes.h"
#include "program/value_shardings.h"
#include "propagation/pass_support.h"

namespace shardscope::passes {

namespace {

OpKind kindOf(CollectiveKind kind)
{
    switch (kind) {
    case CollectiveKind::AllReduce:
        return OpKind::SdyAllReduce;
    case CollectiveKind::AllGather:
        return OpKind::SdyAllGather;
    case CollectiveKind::ReduceScatter:
        return OpKind::SdyReduceScatter;
    case CollectiveKind::AllToAll:
        return OpKind::SdyAllToAll;
    case CollectiveKind::CollectivePermute:
        return OpKind::SdyCollectivePermute;
    case CollectiveKind::CollectiveBroadcast: // no reshard has one
    case CollectiveKind::AllSlice:
        break;
    }
    return OpKind::SdyAllSlice;
}

SdyCollectiveAttributes attributesOf(const ReshardStep& step, ProgramSharding out)
{
    const Collective& collective = step.collective;
    SdyCollectiveAttributes attributes;
    attributes.axesPerDimension = collective.perDimension;
    if (collective.kind == CollectiveKind::AllReduce)
        attributes.axes = collective.axes;
    if (collective.kind == CollectiveKind::AllToAll)
        attributes.moves = { { collective.moved, collective.sourceDimension, collective.targetDimension } };
    attributes.kind = out.unreducedKind;
    out.sharding = step.after;
    attributes.out = std::move(out);
    return attributes;
}

/// Every block of every step has the same size.
bool isEven(std::span<const ReshardStep> steps, const TensorType& type)
{
    return std::all_of(steps.begin(), steps.end(), [&](const ReshardStep& step) {
        for (std::size_t d = 0; d < type.rank(); ++d)
            if (type.shape[d] % shardCount(step.after.dims[d]) != 0)
                return false;
        return true;
    });
}

std::vector<ReshardStep> stepsOf(const Reshard& reshard, bool optimal)
{
    if (optimal)
        if (std::vector<ReshardStep> found = optimalSteps(reshard); isEven(found, reshard.type))
            return found;
    return shardySteps(reshard);
}

class Replacer {
public:
    Replacer(Program program, ReshardOptions options, std::vector<std::pair<OperationId, OperationId>>* origins)
        : m_edit(std::move(program))
        , m_specified(m_edit.program())
        , m_options(options)
        , m_origins(origins)
    {
    }

    Program run()
    {
        std::vector<OperationId> reshards;
        for (const RegionId body : bodies(m_edit.program()))
            walk(m_edit.program(), body, [&](OperationId id) {
                if (m_edit.operation(id).kind == OpKind::Reshard)
                    reshards.push_back(id);
            });
        for (const OperationId id : reshards)
            replace(id);
        return std::move(m_edit).finish();
    }

private:
    const ProgramMesh& mesh(std::uint32_t index) const { return m_edit.program().meshes[index]; }

    std::optional<ProgramSharding> shardingAfterBarriers(ValueId value) const
    {
        for (;;) {
            if (const ProgramSharding* found = shardingAnywhere(m_edit, value))
                return *found;
            const OperationId definition = m_edit.value(value).definition;
            if (!definition.valid())
                if (const ProgramSharding* found = m_specified.of(value))
                    return *found; // an argument of a body
            if (!definition.valid() || m_edit.operation(definition).kind != OpKind::PropagationBarrier)
                return {};
            value = m_edit.operation(definition).operands[0];
        }
    }

    void replaceBy(OperationId reshard, ValueId value)
    {
        m_edit.replaceUses(m_edit.result(reshard), value, reshard);
        m_edit.erase(reshard);
    }

    void replace(OperationId id)
    {
        const auto* own = attributesAs<OwnShardingAttributes>(m_edit.operation(id).attributes);
        if (!own || !own->sharding)
            return;
        const ProgramSharding to = *own->sharding;
        const ValueId operand = m_edit.operation(id).operands[0];
        std::optional<ProgramSharding> from = shardingAfterBarriers(operand);
        const bool maximal = mesh(to.mesh).isMaximal() || (from && mesh(from->mesh).isMaximal());
        const bool redundant = maximal ? from && from->mesh == to.mesh : areEquivalent(from ? &*from : nullptr, &to);
        if (redundant && !m_options.keepRedundant)
            return replaceBy(id, operand);
        if (redundant || maximal || !isStatic(m_edit.value(operand).type))
            return;
        if (!from || (mesh(from->mesh).mesh->rank() == 0 && !mesh(from->mesh).undeclared))
            from = closedSharding(to.mesh, to.sharding.rank());
        expand(id, *from, to);
    }

    void expand(OperationId id, const ProgramSharding& from, const ProgramSharding& to)
    {
        const bool wanted = !isReplicated(&to);
        const ProgramSharding target = wanted ? to : closedSharding(from.mesh, to.sharding.rank());
        const Mesh& sourceMesh = *mesh(from.mesh).mesh;
        const Mesh& targetMesh = *mesh(target.mesh).mesh;
        if (!haveSameAxes(sourceMesh, targetMesh) || from.sharding.rank() != target.sharding.rank()
            || !axesMinus(target.sharding.unreduced, from.sharding.unreduced).empty())
            return;
        const ValueId operand = m_edit.operation(id).operands[0];
        const TensorType type = m_edit.value(operand).type;
        // What is replicated is sliced where it lies; only a permute leads to another order of devices.
        const bool sliceFirst = isReplicated(&from) && !(sourceMesh == targetMesh);
        const Reshard reshard{ type, from.sharding, target.sharding, &targetMesh, sliceFirst ? nullptr : &sourceMesh,
            m_options.even ? Blocks::Even : Blocks::AsIfEven };
        ValueId current = operand;
        const auto append = [&](const ReshardStep& step, std::uint32_t on) {
            const ProgramSharding out{ on, {}, from.unreducedKind };
            const OperationId added = m_edit.add(kindOf(step.collective.kind), std::span(&current, 1),
                std::span(&type, 1), otherAttributes(attributesOf(step, out)), id);
            m_edit.placeBefore(id, added);
            if (m_origins)
                m_origins->emplace_back(added, id);
            current = m_edit.result(added);
        };
        for (const ReshardStep& step : stepsOf(reshard, m_options.optimal))
            append(step, step.sourceOrder || sliceFirst ? from.mesh : target.mesh);
        if (sliceFirst) {
            ReshardStep last;
            last.collective.kind = CollectiveKind::CollectivePermute;
            last.after = target.sharding;
            append(last, target.mesh);
        }
        replaceBy(id, current);
    }

    Editor m_edit;
    ValueShardings m_specified; ///< of arguments of bodies
    ReshardOptions m_options;
    std::vector<std::pair<OperationId, OperationId>>* m_origins;
};

} // namespace

Program reshardToCollectives(
    Program program, ReshardOptions options, std::vector<std::pair<OperationId, OperationId>>* origins)
{
    return Replacer(std::move(program), options, origins).run();
}

} // namespace shardscope::passes

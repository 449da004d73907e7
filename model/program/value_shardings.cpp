// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/value_shardings.h"

#include <algorithm>

#include "program/other_attributes.h"

namespace shardscope {

const ProgramSharding* ownSharding(const Operation& operation)
{
    if (const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes)) {
        const auto* specified = std::get_if<ExplicitSharding>(&constraint->annotation);
        return specified ? specified->specified.get() : nullptr;
    }
    if (const auto* own = attributesAs<OwnShardingAttributes>(operation.attributes))
        return own->sharding ? &*own->sharding : nullptr;
    if (const auto* collective = attributesAs<SdyCollectiveAttributes>(operation.attributes))
        return &collective->out;
    return nullptr;
}

bool isShardyCollective(OpKind kind)
{
    switch (kind) {
    case OpKind::SdyAllGather:
    case OpKind::SdyAllReduce:
    case OpKind::SdyAllSlice:
    case OpKind::SdyAllToAll:
    case OpKind::SdyCollectivePermute:
    case OpKind::SdyReduceScatter:
    case OpKind::ShardedToUnreduced:
    case OpKind::ReplicatedToUnreduced:
        return true;
    default:
        return false;
    }
}

bool changesOnlySharding(OpKind kind)
{
    return kind == OpKind::ShardingConstraint || kind == OpKind::Reshard || isShardyCollective(kind);
}

ValueId beforeExchanges(const Program& program, ValueId value)
{
    for (;;) {
        const OperationId definition = program.value(value).definition;
        if (!definition.valid())
            return value;
        const Operation& operation = program.operation(definition);
        if (operation.kind != OpKind::Reshard && !isShardyCollective(operation.kind))
            return value;
        value = operation.operands[0];
    }
}

ProgramSharding withoutAxes(const Program& program, const ProgramSharding& sharding, std::span<const std::string> axes)
{
    const Mesh& mesh = *program.meshes[sharding.mesh].mesh;
    const auto isGone = [&](AxisRef ref) {
        const auto axis = static_cast<std::size_t>(ref.axis);
        return axis < mesh.rank() && std::find(axes.begin(), axes.end(), mesh.axis(axis).name) != axes.end();
    };
    const auto kept = [&](const AxisList& list) {
        AxisList rest;
        for (const AxisRef ref : list)
            if (!isGone(ref))
                rest.push_back(ref);
        return rest;
    };
    ProgramSharding inner = sharding;
    for (DimensionSharding& dim : inner.sharding.dims)
        dim.axes = kept(dim.axes);
    inner.sharding.replicated = kept(inner.sharding.replicated);
    inner.sharding.unreduced = kept(inner.sharding.unreduced);
    return inner;
}

ValueShardings::ValueShardings(const Program& program)
    : m_program(program)
{
    for (const Operation& operation : program.operations) {
        if (operation.regions.empty())
            continue;
        const std::vector<ValueId>& arguments = program.regions[operation.regions[0].index].arguments;
        if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes)) {
            for (std::size_t i = 0; i < std::min(arguments.size(), manual->in.size()); ++i)
                m_bodyArguments.emplace(arguments[i].index, withoutAxes(program, manual->in[i], manual->manualAxes));
        } else if (const auto* named = attributesAs<NamedComputationAttributes>(operation.attributes)) {
            for (std::size_t i = 0; i < std::min(arguments.size(), named->in.size()); ++i)
                m_bodyArguments.emplace(arguments[i].index, named->in[i]);
        } else if (operation.kind == OpKind::While) {
            for (const RegionId region : operation.regions)
                addLoop(operation, program.regions[region.index].arguments);
        }
    }
}

void ValueShardings::addLoop(const Operation& loop, std::span<const ValueId> arguments)
{
    for (std::size_t i = 0; i < std::min<std::size_t>(arguments.size(), loop.results.size()); ++i)
        if (const ProgramSharding* carried = of(loop.results[i]))
            m_bodyArguments.emplace(arguments[i].index, *carried);
}

const ProgramSharding* ValueShardings::of(ValueId value) const
{
    if (const ProgramSharding* specified = m_program.shardingOf(value))
        return specified;
    const Value& held = m_program.value(value);
    if (!held.definition.valid()) {
        const auto found = m_bodyArguments.find(value.index);
        return found == m_bodyArguments.end() ? nullptr : &found->second;
    }
    const Operation& operation = m_program.operation(held.definition);
    const auto pick = [&](const std::vector<ProgramSharding>& list) {
        return held.index < list.size() ? &list[held.index] : nullptr;
    };
    if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes))
        return pick(manual->out);
    if (const auto* named = attributesAs<NamedComputationAttributes>(operation.attributes))
        return pick(named->out);
    return ownSharding(operation);
}

} // namespace shardscope

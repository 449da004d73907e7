// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/pass_support.h"

#include <algorithm>

namespace shardscope::passes {

namespace {

using Change = std::function<ProgramSharding(const ProgramSharding&)>;

void mapList(std::vector<ProgramSharding>& list, const Change& change)
{
    for (ProgramSharding& sharding : list)
        sharding = change(sharding);
}

void mapAttributes(Attributes& attributes, const Change& change)
{
    if (auto* constraint = std::get_if<ConstraintAttributes>(&attributes)) {
        if (const auto* specified = std::get_if<ExplicitSharding>(&constraint->annotation))
            constraint->annotation =
                ExplicitSharding{ std::make_shared<const ProgramSharding>(change(*specified->specified)) };
        return;
    }
    if (const auto* own = attributesAs<OwnShardingAttributes>(attributes)) {
        if (own->sharding)
            attributes = otherAttributes(OwnShardingAttributes{ change(*own->sharding) });
    } else if (const auto* manual = attributesAs<ManualComputationAttributes>(attributes)) {
        ManualComputationAttributes changed = *manual;
        mapList(changed.in, change);
        mapList(changed.out, change);
        attributes = otherAttributes(std::move(changed));
    } else if (const auto* named = attributesAs<NamedComputationAttributes>(attributes)) {
        NamedComputationAttributes changed = *named;
        mapList(changed.in, change);
        mapList(changed.out, change);
        attributes = otherAttributes(std::move(changed));
    } else if (const auto* collective = attributesAs<SdyCollectiveAttributes>(attributes)) {
        SdyCollectiveAttributes changed = *collective;
        changed.out = change(changed.out);
        attributes = otherAttributes(std::move(changed));
    }
}

bool isManual(const Program& program, std::uint32_t mesh, AxisRef axis, const std::vector<std::string>& manualAxes)
{
    const Mesh& of = *program.meshes[mesh].mesh;
    const auto index = static_cast<std::size_t>(axis.axis);
    return index < of.rank()
        && std::find(manualAxes.begin(), manualAxes.end(), of.axis(index).name) != manualAxes.end();
}

} // namespace

void mapShardings(Program& program, const Change& change)
{
    for (ProgramSharding& sharding : program.shardings)
        sharding = change(sharding);
    for (Operation& operation : program.operations)
        mapAttributes(operation.attributes, change);
    // Shardings stand in the table once each: what has become equal becomes one.
    std::vector<ProgramSharding> table;
    std::vector<ShardingIndex> to{ 0 };
    for (ProgramSharding& sharding : program.shardings) {
        const auto known = std::find(table.begin(), table.end(), sharding);
        to.push_back(static_cast<ShardingIndex>(known - table.begin() + 1));
        if (known == table.end())
            table.push_back(std::move(sharding));
    }
    program.shardings = std::move(table);
    for (ShardingIndex& index : program.valueShardings)
        index = to[index];
    for (Function& function : program.functions)
        for (ShardingIndex& index : function.resultShardings)
            index = to[index];
    for (UnmatchedShardings& unmatched : program.unmatchedShardings)
        for (ShardingIndex& index : unmatched.shardings)
            index = to[index];
}

void setEdgeSharding(Program& program, OperationId edge, std::optional<ProgramSharding> sharding)
{
    program.operations[edge.index].attributes = otherAttributes(OwnShardingAttributes{ std::move(sharding) });
}

const ProgramSharding* shardingAnywhere(const Editor& edit, ValueId value)
{
    if (const ProgramSharding* specified = edit.sharding(value))
        return specified;
    const OperationId definition = edit.value(value).definition;
    if (!definition.valid())
        return nullptr;
    const Operation& operation = edit.operation(definition);
    const std::size_t index = edit.value(value).index;
    if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes))
        return index < manual->out.size() ? &manual->out[index] : nullptr;
    if (const auto* named = attributesAs<NamedComputationAttributes>(operation.attributes))
        return index < named->out.size() ? &named->out[index] : nullptr;
    return ownSharding(operation);
}

ProgramSharding openSharding(std::uint32_t mesh, std::size_t rank)
{
    return { mesh, TensorSharding::open(rank) };
}

ProgramSharding closedSharding(std::uint32_t mesh, std::size_t rank)
{
    return { mesh, TensorSharding::fullyReplicated(rank) };
}

bool isFullyClosed(const ProgramSharding& sharding)
{
    return std::none_of(sharding.sharding.dims.begin(), sharding.sharding.dims.end(),
        [](const DimensionSharding& dim) { return dim.open; });
}

bool isReplicated(const ProgramSharding* sharding)
{
    return !sharding || sharding->sharding.isFullyReplicated();
}

bool areEquivalent(const ProgramSharding* a, const ProgramSharding* b)
{
    if (isReplicated(a) && isReplicated(b))
        return true;
    return a && b && a->mesh == b->mesh && a->sharding.isEquivalent(b->sharding);
}

void sortAndMerge(AxisList& axes)
{
    std::sort(axes.begin(), axes.end());
    AxisList merged;
    for (const AxisRef axis : axes)
        appendMerged(merged, axis);
    axes = std::move(merged);
}

bool isStatic(const TensorType& type)
{
    return isTensor(type.dtype)
        && std::none_of(type.shape.begin(), type.shape.end(), [](std::int64_t size) { return size < 0; });
}

ProgramSharding outsideOf(const Program& program, const ProgramSharding& inside, const ProgramSharding& boundary,
    const std::vector<std::string>& manualAxes)
{
    if (boundary.mesh != inside.mesh)
        return inside;
    const auto manual = [&](const AxisList& axes) {
        AxisList found;
        for (const AxisRef axis : axes)
            if (isManual(program, boundary.mesh, axis, manualAxes))
                found.push_back(axis);
        return found;
    };
    ProgramSharding outside = inside;
    for (std::size_t d = 0; d < std::min(outside.sharding.dims.size(), boundary.sharding.dims.size()); ++d) {
        AxisList axes = manual(boundary.sharding.dims[d].axes);
        for (const AxisRef axis : inside.sharding.dims[d].axes)
            appendMerged(axes, axis);
        outside.sharding.dims[d].axes = std::move(axes);
    }
    for (auto set : { &TensorSharding::replicated, &TensorSharding::unreduced }) {
        for (const AxisRef axis : manual(boundary.sharding.*set))
            (outside.sharding.*set).push_back(axis);
        sortAndMerge(outside.sharding.*set);
    }
    return outside;
}

} // namespace shardscope::passes

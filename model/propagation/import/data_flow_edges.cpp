// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>

#include "program/calls.h"
#include "propagation/pass_support.h"
#include "propagation/passes.h"

namespace shardscope::passes {

namespace {

bool flows(OpKind kind)
{
    return kind == OpKind::While || kind == OpKind::Case || kind == OpKind::If || kind == OpKind::OptimizationBarrier
        || kind == OpKind::ManualComputation || kind == OpKind::NamedComputation;
}

OperationId addEdge(Editor& edit, ValueId owner, std::optional<ProgramSharding> sharding)
{
    const OperationId edge =
        edit.addLike(OpKind::DataFlowEdge, { owner }, otherAttributes(OwnShardingAttributes{ std::move(sharding) }));
    edit.replaceUses(owner, edit.result(edge), edge);
    return edge;
}

/// The edge of a value; invalid for none.
OperationId edgeOf(const Editor& edit, ValueId owner)
{
    for (const Use& use : edit.uses(owner))
        if (use.operation.valid() && edit.operation(use.operation).kind == OpKind::DataFlowEdge)
            return use.operation;
    return {};
}

struct Sunk {
    std::vector<std::optional<ProgramSharding>> shardings; ///< per value: that of its edge
    std::optional<std::uint32_t> mesh; ///< of the first edge with a sharding
};

template <class Values>
Sunk sinkAll(Editor& edit, const Values& owners)
{
    Sunk sunk;
    for (const ValueId owner : owners) {
        std::optional<ProgramSharding>& sharding = sunk.shardings.emplace_back();
        const OperationId edge = edgeOf(edit, owner);
        if (!edge.valid())
            continue;
        if (const ProgramSharding* carried = ownSharding(edit.operation(edge)))
            sharding = *carried;
        if (sharding && !sunk.mesh)
            sunk.mesh = sharding->mesh;
        edit.replaceUses(edit.result(edge), owner);
        edit.erase(edge);
    }
    return sunk;
}

ProgramSharding filled(const Editor& edit, const Sunk& sunk, std::size_t index, ValueId owner)
{
    return sunk.shardings[index] ? *sunk.shardings[index] : openSharding(*sunk.mesh, edit.value(owner).type.rank());
}

void sinkResults(Editor& edit, OperationId id)
{
    const SmallVector<ValueId, 2> results = edit.operation(id).results;
    const Sunk sunk = sinkAll(edit, results);
    if (!sunk.mesh)
        return;
    const Attributes attributes = edit.operation(id).attributes;
    std::vector<ProgramSharding> out;
    for (std::size_t i = 0; i < results.size(); ++i)
        out.push_back(filled(edit, sunk, i, results[i]));
    if (const auto* manual = attributesAs<ManualComputationAttributes>(attributes)) {
        ManualComputationAttributes changed = *manual;
        changed.out = std::move(out);
        edit.raw().operations[id.index].attributes = otherAttributes(std::move(changed));
    } else if (const auto* named = attributesAs<NamedComputationAttributes>(attributes)) {
        NamedComputationAttributes changed = *named;
        changed.out = std::move(out);
        edit.raw().operations[id.index].attributes = otherAttributes(std::move(changed));
    } else {
        for (std::size_t i = 0; i < results.size(); ++i)
            edit.setSharding(results[i], out[i]);
    }
}

void sinkArguments(Editor& edit, OperationId id)
{
    if (edit.operation(id).regions.empty())
        return;
    const std::vector<ValueId> arguments = edit.region(edit.operation(id).regions[0]).arguments;
    const Sunk sunk = sinkAll(edit, arguments);
    if (!sunk.mesh)
        return;
    const Attributes attributes = edit.operation(id).attributes;
    if (const auto* manual = attributesAs<ManualComputationAttributes>(attributes)) {
        ManualComputationAttributes changed = *manual;
        for (std::size_t i = 0; i < std::min(arguments.size(), changed.in.size()); ++i)
            changed.in[i] =
                outsideOf(edit.program(), filled(edit, sunk, i, arguments[i]), manual->in[i], manual->manualAxes);
        edit.raw().operations[id.index].attributes = otherAttributes(std::move(changed));
    } else if (const auto* named = attributesAs<NamedComputationAttributes>(attributes)) {
        NamedComputationAttributes changed = *named;
        changed.in.clear();
        for (std::size_t i = 0; i < arguments.size(); ++i)
            changed.in.push_back(filled(edit, sunk, i, arguments[i]));
        edit.raw().operations[id.index].attributes = otherAttributes(std::move(changed));
    }
}

} // namespace

void addEdges(Editor& edit, OperationId id)
{
    if (!flows(edit.operation(id).kind))
        return;
    const Attributes attributes = edit.operation(id).attributes;
    const auto* manual = attributesAs<ManualComputationAttributes>(attributes);
    const auto* named = attributesAs<NamedComputationAttributes>(attributes);
    if (isComputation(edit.operation(id).kind) && !edit.operation(id).regions.empty()) {
        const RegionId body = edit.operation(id).regions[0];
        const std::vector<ValueId> arguments = edit.region(body).arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!isStatic(edit.value(arguments[i]).type))
                continue;
            std::optional<ProgramSharding> sharding;
            if (manual && i < manual->in.size())
                sharding = withoutAxes(edit.program(), manual->in[i], manual->manualAxes);
            else if (named && i < named->in.size())
                sharding = named->in[i];
            edit.placeFirst(body, addEdge(edit, arguments[i], std::move(sharding)));
        }
    }
    const SmallVector<ValueId, 2> results = edit.operation(id).results;
    for (const ValueId result : results)
        if (isStatic(edit.value(result).type)) {
            const ProgramSharding* sharding = shardingAnywhere(edit, result);
            edit.placeAfter(id, addEdge(edit, result, sharding ? std::optional(*sharding) : std::nullopt));
        }
}

void sinkEdges(Editor& edit, OperationId id)
{
    if (!flows(edit.operation(id).kind))
        return;
    if (isComputation(edit.operation(id).kind))
        sinkArguments(edit, id);
    sinkResults(edit, id);
}

Program addDataFlowEdges(Program program)
{
    Editor edit(std::move(program));
    const std::size_t count = edit.program().operations.size();
    for (std::size_t i = 0; i < count; ++i)
        if (edit.regionOf(OperationId(i)).valid())
            addEdges(edit, OperationId(i));
    return std::move(edit).finish();
}

Program sinkDataFlowEdges(Program program)
{
    Editor edit(std::move(program));
    const std::size_t count = edit.program().operations.size();
    for (std::size_t i = 0; i < count; ++i)
        if (edit.regionOf(OperationId(i)).valid())
            sinkEdges(edit, OperationId(i));
    // Edges of values that own none have nothing to give.
    for (std::size_t i = 0; i < count; ++i) {
        const OperationId id(i);
        if (!edit.regionOf(id).valid() || edit.operation(id).kind != OpKind::DataFlowEdge)
            continue;
        edit.replaceUses(edit.result(id), edit.operation(id).operands[0]);
        edit.erase(id);
    }
    return std::move(edit).finish();
}

Program addFunctionDataFlowEdges(Program program)
{
    Editor edit(std::move(program));
    const auto add = [&](ValueId value) {
        std::optional<ProgramSharding> sharding;
        if (const ProgramSharding* specified = edit.sharding(value))
            sharding = *specified;
        const OperationId edge = edit.addLike(
            OpKind::FuncDataFlowEdge, { value }, otherAttributes(OwnShardingAttributes{ std::move(sharding) }));
        edit.replaceUses(value, edit.result(edge), edge);
        return edge;
    };
    for (std::size_t f = 0; f < edit.program().functions.size(); ++f) {
        const RegionId body = edit.program().functions[f].body;
        const std::vector<ValueId> arguments = edit.region(body).arguments;
        if (!isMain(edit.program(), f))
            for (const ValueId argument : arguments)
                if (isStatic(edit.value(argument).type))
                    edit.placeFirst(body, add(argument));
    }
    const std::size_t count = edit.program().operations.size();
    for (std::size_t i = 0; i < count; ++i) {
        const OperationId id(i);
        if (!edit.regionOf(id).valid() || !isCall(edit.operation(id).kind))
            continue;
        const SmallVector<ValueId, 2> results = edit.operation(id).results;
        for (const ValueId result : results)
            if (isStatic(edit.value(result).type))
                edit.placeAfter(id, add(result));
    }
    return std::move(edit).finish();
}

Program sinkFunctionDataFlowEdges(Program program)
{
    Editor edit(std::move(program));
    const std::size_t count = edit.program().operations.size();
    for (std::size_t i = 0; i < count; ++i) {
        const OperationId id(i);
        if (!edit.regionOf(id).valid() || edit.operation(id).kind != OpKind::FuncDataFlowEdge)
            continue;
        const ValueId owner = edit.operation(id).operands[0];
        if (const ProgramSharding* carried = ownSharding(edit.operation(id)))
            edit.setSharding(owner, ProgramSharding(*carried));
        else if (const ProgramSharding* specified = edit.sharding(owner))
            edit.setSharding(owner, openSharding(specified->mesh, edit.value(owner).type.rank()));
        edit.replaceUses(edit.result(id), owner);
        edit.erase(id);
    }
    return std::move(edit).finish();
}

} // namespace shardscope::passes

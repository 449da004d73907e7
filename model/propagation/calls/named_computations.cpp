// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>

#include "program/calls.h"
#include "propagation/calls/call_graph.h"
#include "propagation/pass_support.h"
#include "propagation/passes.h"

namespace shardscope::passes {

namespace {

/// The list that a computation has: nothing where no value has a sharding, else open ones for those without.
std::vector<ProgramSharding> listOf(
    const Editor& edit, std::span<const ShardingIndex> shardings, std::span<const ValueId> values)
{
    const auto first = std::find_if(shardings.begin(), shardings.end(), [](ShardingIndex index) { return index != 0; });
    std::vector<ProgramSharding> list;
    if (first == shardings.end())
        return list;
    const std::uint32_t mesh = edit.program().shardings[*first - 1].mesh;
    for (std::size_t i = 0; i < values.size(); ++i)
        list.push_back(i < shardings.size() && shardings[i] != 0
                ? edit.program().shardings[shardings[i] - 1]
                : openSharding(mesh, edit.value(values[i]).type.rank()));
    return list;
}

std::vector<ProgramSharding> takeShardings(Editor& edit, std::span<const ValueId> values)
{
    std::vector<ShardingIndex> indices;
    for (const ValueId value : values)
        indices.push_back(edit.program().valueShardings[value.index]);
    std::vector<ProgramSharding> list = listOf(edit, indices, values);
    for (const ValueId value : values)
        edit.clearSharding(value);
    return list;
}

} // namespace

Program importFunctionCalls(Program program)
{
    const CallGraph graph = callGraph(program);
    if (graph.recursive)
        return program;
    Editor edit(std::move(program));
    std::vector<char> moved(graph.calls.size(), 0);
    for (const std::size_t f : graph.calleesFirst)
        for (std::size_t c = 0; c < graph.calls[f].size(); ++c) {
            const OperationId id = graph.calls[f][c];
            const std::size_t callee = graph.callees[f][c];
            const Function function = edit.program().functions[callee];
            RegionId body = function.body;
            if (moved[callee] != 0 || callee == 0 || function.isPublic) {
                ValueMap map;
                body = edit.copyRegion(function.body, id, map);
                edit.raw().operations[id.index].regions.clear();
                for (std::size_t i = 0; i < edit.region(body).arguments.size(); ++i) // the original's have moved
                    if (const auto* named = moved[callee] == 0
                            ? nullptr
                            : attributesAs<NamedComputationAttributes>(
                                edit.operation(edit.ownerOf(function.body)).attributes);
                        named && i < named->in.size())
                        edit.setSharding(edit.region(body).arguments[i], named->in[i]);
            } else {
                moved[callee] = 1;
            }
            const std::vector<ValueId> arguments = edit.region(body).arguments;
            const SmallVector<ValueId, 2> results = edit.operation(id).results;
            NamedComputationAttributes named;
            named.name = function.originalName.empty() ? function.name : function.originalName;
            named.in = takeShardings(edit, arguments);
            named.out = takeShardings(edit, std::span(results.data(), results.size()));
            if (const auto* composite = attributesAs<CompositeAttributes>(edit.operation(id).attributes))
                named.composite = *composite;
            edit.raw().operations[id.index].kind = OpKind::NamedComputation;
            edit.raw().operations[id.index].attributes = otherAttributes(std::move(named));
            edit.adoptRegion(id, body);
        }
    std::vector<Function> kept;
    for (std::size_t f = 0; f < graph.calls.size(); ++f)
        if (f == 0 || (moved[f] == 0 && edit.program().functions[f].isPublic))
            kept.push_back(edit.program().functions[f]);
    edit.raw().functions = std::move(kept);
    Program inlined = std::move(edit).finish();

    Editor edges(std::move(inlined));
    std::vector<OperationId> named;
    for (const RegionId body : bodies(edges.program()))
        walk(edges.program(), body, [&](OperationId id) {
            if (edges.operation(id).kind == OpKind::NamedComputation)
                named.push_back(id);
        });
    for (const OperationId id : named)
        addEdges(edges, id);
    return std::move(edges).finish();
}

Program exportNamedComputations(Program program)
{
    std::vector<OperationId> order;
    for (const RegionId body : bodies(program))
        walkInnerFirst(program, body, [&](OperationId id) {
            if (program.operation(id).kind == OpKind::NamedComputation)
                order.push_back(id);
        });
    if (order.empty())
        return program;
    Editor edit(std::move(program));
    FunctionNames names(edit.program());
    for (const OperationId id : order)
        sinkEdges(edit, id);
    edit.commit();
    for (const OperationId id : order) {
        const auto named = *attributesAs<NamedComputationAttributes>(edit.operation(id).attributes);
        Function function;
        function.name = names.freeName(named.name);
        names.add(function.name, edit.program().functions.size());
        function.originalName = named.name;
        function.isPublic = false;
        function.body = edit.operation(id).regions[0];
        const std::vector<ValueId> arguments = edit.region(function.body).arguments;
        for (std::size_t i = 0; i < std::min(arguments.size(), named.in.size()); ++i)
            edit.setSharding(arguments[i], named.in[i]);
        const SmallVector<ValueId, 2> results = edit.operation(id).results;
        for (std::size_t i = 0; i < std::min<std::size_t>(results.size(), named.out.size()); ++i)
            edit.setSharding(results[i], named.out[i]);
        function.resultShardings.assign(results.size(), 0);
        edit.raw().operations[id.index].regions.clear();
        edit.raw().operations[id.index].kind = named.composite ? OpKind::Composite : OpKind::Call;
        edit.raw().operations[id.index].attributes = named.composite
            ? withCallee(otherAttributes(*named.composite), function.name)
            : otherAttributes(CallAttributes{ function.name });
        edit.raw().functions.push_back(std::move(function));
    }
    return std::move(edit).finish();
}

} // namespace shardscope::passes

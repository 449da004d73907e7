// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>

#include "propagation/calls/call_graph.h"
#include "propagation/pass_support.h"
#include "propagation/passes.h"

namespace shardscope::passes {

Program propagateFromFunctionsToCalls(Program program)
{
    const CallGraph graph = callGraph(program);
    Editor edit(std::move(program));
    for (const std::size_t f : graph.calleesFirst)
        for (std::size_t c = 0; c < graph.calls[f].size(); ++c) {
            const SmallVector<ValueId, 2> results = edit.operation(graph.calls[f][c]).results;
            if (std::any_of(results.begin(), results.end(), [&](ValueId result) { return edit.sharding(result); }))
                continue;
            const std::vector<ShardingIndex> declared = edit.program().functions[graph.callees[f][c]].resultShardings;
            const auto mesh = std::find_if(declared.begin(), declared.end(), [&](ShardingIndex index) {
                return index != 0 && !edit.program().meshes[edit.program().shardings[index - 1].mesh].onlyDevice;
            });
            if (mesh == declared.end())
                continue;
            const std::uint32_t common = edit.program().shardings[*mesh - 1].mesh;
            for (std::size_t i = 0; i < results.size(); ++i)
                if (i < declared.size() && declared[i] != 0)
                    edit.raw().valueShardings[results[i].index] = declared[i];
                else
                    edit.setSharding(results[i], openSharding(common, edit.value(results[i]).type.rank()));
        }
    return std::move(edit).finish();
}

Program propagateToFunctionResults(Program program)
{
    Editor edit(std::move(program));
    for (std::size_t f = 0; f < edit.program().functions.size(); ++f) {
        if (isMain(edit.program(), f))
            continue;
        const std::vector<ValueId> returned = edit.region(edit.program().functions[f].body).results;
        std::vector<ShardingIndex> shardings;
        for (const ValueId value : returned) {
            const ProgramSharding* sharding = shardingAnywhere(edit, value);
            shardings.push_back(sharding ? edit.intern(*sharding) : 0);
        }
        edit.raw().functions[f].resultShardings = std::move(shardings);
    }
    return std::move(edit).finish();
}

Program insertCallReshards(Program program)
{
    const CallGraph graph = callGraph(program);
    Editor edit(std::move(program));
    for (const std::size_t f : graph.calleesFirst)
        for (std::size_t c = 0; c < graph.calls[f].size(); ++c) {
            const OperationId id = graph.calls[f][c];
            const SmallVector<ValueId, 2> results = edit.operation(id).results;
            std::vector<ShardingIndex> declared = edit.program().functions[graph.callees[f][c]].resultShardings;
            declared.resize(results.size(), 0);
            const bool calleeHasAny =
                std::any_of(declared.begin(), declared.end(), [](ShardingIndex index) { return index != 0; });
            const auto ofCall =
                std::find_if(results.begin(), results.end(), [&](ValueId result) { return edit.sharding(result); });
            if (!calleeHasAny && ofCall == results.end())
                continue;
            std::uint32_t mesh = 0;
            if (calleeHasAny)
                mesh = edit.program()
                           .shardings[*std::find_if(declared.begin(), declared.end(),
                                          [](ShardingIndex index) { return index != 0; })
                               - 1]
                           .mesh;
            else
                mesh = edit.sharding(*ofCall)->mesh;
            for (std::size_t i = 0; i < results.size(); ++i) {
                const std::size_t rank = edit.value(results[i]).type.rank();
                const ProgramSharding* specified = edit.sharding(results[i]);
                const ProgramSharding before = specified ? *specified : closedSharding(mesh, rank);
                const ProgramSharding after =
                    declared[i] != 0 ? edit.program().shardings[declared[i] - 1] : closedSharding(mesh, rank);
                if (!areEquivalent(&before, &after)) {
                    const OperationId reshard =
                        edit.addLike(OpKind::Reshard, { results[i] }, otherAttributes(OwnShardingAttributes{ before }));
                    edit.placeAfter(id, reshard);
                    edit.replaceUses(results[i], edit.result(reshard), reshard);
                }
                if (calleeHasAny && declared[i] == 0)
                    edit.clearSharding(results[i]);
                else
                    edit.setSharding(results[i], after);
            }
        }
    return std::move(edit).finish();
}

} // namespace shardscope::passes

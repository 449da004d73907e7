// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/export/canonicalize_collectives.h"

#include <algorithm>

#include "program/editor.h"
#include "propagation/pass_support.h"

namespace shardscope::passes {

namespace {

bool areEmpty(const std::vector<AxisList>& lists)
{
    return std::all_of(lists.begin(), lists.end(), [](const AxisList& list) { return list.empty(); });
}

/// Goes over all operations in program order until nothing changes any more.
class CollectiveEditor {
public:
    explicit CollectiveEditor(Program program, bool splitsSums = false)
        : m_edit(std::move(program))
        , m_splitsSums(splitsSums)
    {
    }

    template <class Visit>
    Canonicalized run(Visit visit) &&
    {
        bool any = false;
        for (bool changed = true; changed;) {
            changed = false;
            for (const RegionId body : bodies(m_edit.program())) {
                std::vector<OperationId> order;
                walk(m_edit.program(), body, [&](OperationId id) { order.push_back(id); });
                for (const OperationId id : order)
                    changed = (!m_edit.isErased(id) && visit(*this, id)) || changed;
            }
            any = any || changed;
            m_edit.commit();
        }
        return { std::move(m_edit).finish(), std::move(m_origins), any };
    }

    bool mergeReshards(OperationId id)
    {
        const OperationId inner = definitionOf(id);
        if (kind(id) != OpKind::Reshard || !isA(inner, OpKind::Reshard)
            || m_edit.uses(m_edit.result(inner)).size() != 1)
            return false;
        m_edit.setOperand(id, 0, operandOf(inner));
        m_edit.erase(inner);
        return true;
    }

    bool simplify(OperationId id)
    {
        switch (kind(id)) {
        case OpKind::SdyAllGather:
        case OpKind::SdyReduceScatter:
            return dropNull(id, areEmpty(collective(id).axesPerDimension));
        case OpKind::SdyAllSlice:
            return dropNull(id, areEmpty(collective(id).axesPerDimension)) || dropSliceOfGather(id) || fuse(id);
        case OpKind::SdyAllReduce:
            return dropNull(id, collective(id).axes.empty()) || simplifyReduction(id);
        case OpKind::SdyCollectivePermute:
            return dropNull(id, areEquivalent(shardingAnywhere(m_edit, operandOf(id)), &collective(id).out));
        case OpKind::SdyAllToAll:
            return dropNull(id, m_edit.uses(m_edit.result(id)).empty()) || mergeMoves(id);
        default:
            return false;
        }
    }

private:
    [[nodiscard]] OpKind kind(OperationId id) const { return m_edit.operation(id).kind; }
    [[nodiscard]] ValueId operandOf(OperationId id) const { return m_edit.operation(id).operands[0]; }
    /// Of the first operand; invalid for arguments.
    [[nodiscard]] OperationId definitionOf(OperationId id) const
    {
        return m_edit.operation(id).operands.empty() ? OperationId() : m_edit.value(operandOf(id)).definition;
    }
    [[nodiscard]] bool isA(OperationId id, OpKind wanted) const { return id.valid() && kind(id) == wanted; }
    [[nodiscard]] const SdyCollectiveAttributes& collective(OperationId id) const
    {
        return *attributesAs<SdyCollectiveAttributes>(m_edit.operation(id).attributes);
    }
    void replace(OperationId id, ValueId value)
    {
        m_edit.replaceUses(m_edit.result(id), value);
        m_edit.erase(id);
    }
    /// In place of `id`, doing the work of `origin`.
    OperationId addBefore(
        OperationId id, OpKind made, ValueId operand, SdyCollectiveAttributes attributes, OperationId origin)
    {
        const TensorType type = m_edit.value(operand).type;
        const OperationId added =
            m_edit.add(made, { &operand, 1 }, { &type, 1 }, otherAttributes(std::move(attributes)), id);
        m_edit.placeBefore(id, added);
        m_origins.emplace_back(added, origin);
        return added;
    }

    bool dropNull(OperationId id, bool isNull)
    {
        if (isNull)
            replace(id, operandOf(id));
        return isNull;
    }

    bool dropSliceOfGather(OperationId id)
    {
        const OperationId gather = definitionOf(id);
        if (!isA(gather, OpKind::SdyAllGather)
            || collective(gather).axesPerDimension != collective(id).axesPerDimension)
            return false;
        replace(id, operandOf(gather));
        return true;
    }

    bool simplifyReduction(OperationId id)
    {
        const OperationId source = definitionOf(id);
        if (isA(source, OpKind::ReplicatedToUnreduced) && collective(source).axes == collective(id).axes) {
            replace(id, operandOf(source));
            return true;
        }
        if (!isA(source, OpKind::ShardedToUnreduced))
            return false;
        AxisList moved;
        for (const AxisList& axes : collective(source).axesPerDimension)
            for (const AxisRef& axis : axes)
                moved.push_back(axis);
        sortAndMerge(moved);
        if (!(moved == collective(id).axes))
            return false;
        SdyCollectiveAttributes gather;
        gather.axesPerDimension = collective(source).axesPerDimension;
        gather.out = collective(id).out;
        replace(id, m_edit.result(addBefore(id, OpKind::SdyAllGather, operandOf(source), std::move(gather), id)));
        return true;
    }

    bool mergeMoves(OperationId id)
    {
        const OperationId inner = definitionOf(id);
        if (!isA(inner, OpKind::SdyAllToAll) || m_edit.uses(m_edit.result(inner)).size() != 1)
            return false;
        SdyCollectiveAttributes merged = collective(id);
        for (const AxisMove& move : collective(inner).moves)
            merged.moves.push_back(move);
        std::vector<std::int64_t> dims;
        for (const AxisMove& move : merged.moves) {
            dims.push_back(move.source);
            dims.push_back(move.target);
        }
        std::sort(dims.begin(), dims.end());
        if (std::adjacent_find(dims.begin(), dims.end()) != dims.end())
            return false;
        std::sort(merged.moves.begin(), merged.moves.end(),
            [](const AxisMove& a, const AxisMove& b) { return a.source < b.source; });
        const OperationId made = addBefore(id, OpKind::SdyAllToAll, operandOf(inner), std::move(merged), id);
        replace(id, m_edit.result(made));
        m_edit.erase(inner);
        return true;
    }

    /// Of the first of the slices that read an all-reduce.
    bool fuse(OperationId id)
    {
        const OperationId reduction = definitionOf(id);
        if (!isA(reduction, OpKind::SdyAllReduce))
            return false;
        const UseList& users = m_edit.uses(m_edit.result(reduction));
        const std::vector<Use> uses(users.begin(), users.end());
        const std::vector<AxisList> lists = collective(id).axesPerDimension;
        if (!std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
                return isA(use.operation, OpKind::SdyAllSlice) && m_edit.regionOf(use.operation) == m_edit.regionOf(id)
                    && collective(use.operation).axesPerDimension == lists;
            }))
            return false;
        AxisList left = collective(reduction).axes;
        SdyCollectiveAttributes scatter;
        scatter.kind = collective(reduction).kind;
        std::vector<AxisList> residual;
        for (const AxisList& list : lists) {
            std::size_t consumed = 0;
            AxisRef* found = left.end();
            while (
                consumed < list.size() && (found = std::find(left.begin(), left.end(), list[consumed])) != left.end()) {
                left.erase(found);
                ++consumed;
            }
            const std::span<const AxisRef> all(list);
            scatter.axesPerDimension.emplace_back(all.first(consumed));
            residual.emplace_back(all.subspan(consumed));
        }
        if (!left.empty() && (!m_splitsSums || areEmpty(scatter.axesPerDimension)))
            return false;
        const ValueId operand = operandOf(reduction);
        const ProgramSharding sliced = collective(id).out;
        const ProgramSharding* current = shardingAnywhere(m_edit, operand);
        scatter.out = current ? *current : closedSharding(sliced.mesh, lists.size());
        for (std::size_t d = 0; d < lists.size(); ++d)
            for (const AxisRef& axis : scatter.axesPerDimension[d])
                appendMerged(scatter.out.sharding.dims[d].axes, axis);
        scatter.out.sharding.replicated = sliced.sharding.replicated;
        scatter.out.sharding.unreduced = sliced.sharding.unreduced;
        scatter.out.unreducedKind = sliced.unreducedKind;
        ProgramSharding parts = scatter.out;
        ValueId scattered =
            m_edit.result(addBefore(id, OpKind::SdyReduceScatter, operand, std::move(scatter), reduction));
        if (!left.empty()) {
            SdyCollectiveAttributes rest;
            rest.axes = std::move(left);
            rest.kind = collective(reduction).kind;
            rest.out = std::move(parts);
            scattered = m_edit.result(addBefore(id, OpKind::SdyAllReduce, scattered, std::move(rest), reduction));
        }
        ValueId result = scattered;
        if (!areEmpty(residual)) {
            SdyCollectiveAttributes slice = collective(id);
            slice.axesPerDimension = std::move(residual);
            m_edit.raw().operations[id.index].attributes = otherAttributes(std::move(slice));
            m_edit.setOperand(id, 0, scattered);
            result = m_edit.result(id);
        }
        for (const Use& use : uses)
            if (m_edit.result(use.operation) != result)
                replace(use.operation, result);
        m_edit.erase(reduction);
        return true;
    }

    Editor m_edit;
    Origins m_origins;
    bool m_splitsSums;
};

/// Whether there is a collective that does nothing, that moves data without a sum, or that reads another one.
bool mayBeSimplified(const Program& program)
{
    const auto mayBe = [&](const Operation& operation) {
        if (!isShardyCollective(operation.kind))
            return false;
        const auto& attributes = *attributesAs<SdyCollectiveAttributes>(operation.attributes);
        if (operation.kind == OpKind::SdyAllReduce ? attributes.axes.empty()
                : operation.kind == OpKind::SdyAllGather || operation.kind == OpKind::SdyReduceScatter
                ? areEmpty(attributes.axesPerDimension)
                : true)
            return true;
        const OperationId source = program.value(operation.operands[0]).definition;
        return source.valid() && isShardyCollective(program.operation(source).kind);
    };
    return std::any_of(program.operations.begin(), program.operations.end(), mayBe);
}

} // namespace

Canonicalized canonicalizeReshards(Program program)
{
    const auto isReshard = [](const Operation& operation) { return operation.kind == OpKind::Reshard; };
    if (std::none_of(program.operations.begin(), program.operations.end(), isReshard))
        return { std::move(program), {}, false };
    return CollectiveEditor(std::move(program)).run([](CollectiveEditor& editor, OperationId id) {
        return editor.mergeReshards(id);
    });
}

Canonicalized canonicalizeCollectives(Program program, bool splitsSums)
{
    if (!mayBeSimplified(program))
        return { std::move(program), {}, false };
    return CollectiveEditor(std::move(program), splitsSums).run([](CollectiveEditor& editor, OperationId id) {
        return editor.simplify(id);
    });
}

Program dropUnusedCollectives(Program program)
{
    std::vector<OperationId> collectives;
    std::vector<bool> isRead(program.values.size());
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) {
            if (isShardyCollective(program.operation(id).kind))
                collectives.push_back(id);
            for (const ValueId operand : program.operation(id).operands)
                isRead[operand.index] = true;
        });
    for (const Region& region : program.regions)
        for (const ValueId result : region.results)
            isRead[result.index] = true;
    const auto isUnread = [&](OperationId id) { return !isRead[program.operation(id).results[0].index]; };
    if (std::none_of(collectives.begin(), collectives.end(), isUnread))
        return program;
    Editor edit(std::move(program));
    for (auto id = collectives.rbegin(); id != collectives.rend(); ++id) // what reads before what is read
        if (edit.uses(edit.result(*id)).empty())
            edit.erase(*id);
    return std::move(edit).finish();
}

} // namespace shardscope::passes

// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in canonicalize_collectives.h.
#include <algorithm>

#include "partition/export/canonicalize_collectives.h"
#include "program/editor.h"

namespace shardscope::passes {

namespace {

class ReshardMerger {
public:
    explicit ReshardMerger(Program program)
        : m_edit(std::move(program))
    {
    }

    Canonicalized run() &&
    {
        bool changed = false;
        for (const RegionId body : bodies(m_edit.program())) {
            std::vector<OperationId> order;
            walk(m_edit.program(), body, [&](OperationId id) { order.push_back(id); });
            m_place.resize(m_edit.program().operations.size(), 0);
            for (std::size_t i = 0; i < order.size(); ++i)
                m_place[order[i].index] = i;
            for (const OperationId id : order)
                if (isReshard(id) && !m_edit.isErased(id))
                    changed = replace(id) || changed;
        }
        return { std::move(m_edit).finish(), {}, changed };
    }

private:
    [[nodiscard]] bool isReshard(OperationId id) const
    {
        return id.valid() && m_edit.operation(id).kind == OpKind::Reshard;
    }
    [[nodiscard]] const ProgramSharding& shardingOf(OperationId reshard) const
    {
        return *attributesAs<OwnShardingAttributes>(m_edit.operation(reshard).attributes)->sharding;
    }

    bool replace(OperationId id)
    {
        for (const Use& use : m_edit.uses(m_edit.operation(id).operands[0])) {
            if (!isReshard(use.operation) || use.operation == id
                || m_edit.regionOf(use.operation) != m_edit.regionOf(id)
                || m_place[use.operation.index] >= m_place[id.index] || shardingOf(use.operation) != shardingOf(id))
                continue;
            m_edit.replaceUses(m_edit.result(id), m_edit.result(use.operation));
            m_edit.erase(id);
            return true;
        }
        return false;
    }

    Editor m_edit;
    std::vector<std::size_t> m_place; ///< per OperationId: in program order
};

} // namespace

Canonicalized mergeReshards(Program program)
{
    const auto isReshard = [](const Operation& operation) { return operation.kind == OpKind::Reshard; };
    if (std::count_if(program.operations.begin(), program.operations.end(), isReshard) < 2)
        return { std::move(program), {}, false };
    return ReshardMerger(std::move(program)).run();
}

} // namespace shardscope::passes

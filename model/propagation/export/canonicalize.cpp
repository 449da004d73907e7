// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/export/canonicalize.h"

#include <algorithm>

#include "propagation/pass_support.h"

namespace shardscope::passes {

namespace {

class Canonicalizer {
public:
    explicit Canonicalizer(Program program)
        : m_edit(std::move(program))
    {
    }

    Program run() &&
    {
        bool changed = true;
        while (changed) {
            changed = false;
            for (const RegionId body : bodies(m_edit.program())) {
                std::vector<OperationId> order;
                walkInnerFirst(m_edit.program(), body, [&](OperationId id) { order.push_back(id); });
                std::reverse(order.begin(), order.end()); // users first, so that what they alone need goes with them
                for (const OperationId id : order)
                    changed = (!m_edit.isErased(id) && visit(id)) || changed;
            }
            m_edit.commit();
        }
        return std::move(m_edit).finish();
    }

private:
    bool visit(OperationId id)
    {
        if (isUnused(id)) {
            m_edit.erase(id);
            return true;
        }
        if (m_edit.operation(id).kind != OpKind::ManualComputation || m_edit.operation(id).regions.size() != 1)
            return false;
        return dropUnusedArguments(id) || dropEmpty(id) || inlineBody(id);
    }

    [[nodiscard]] bool hasEffect(OperationId id) const
    {
        const Operation& operation = m_edit.operation(id);
        switch (operation.kind) {
        case OpKind::Call:
        case OpKind::Send:
        case OpKind::Recv:
        case OpKind::Infeed:
        case OpKind::Outfeed:
        case OpKind::ShardingGroup:
        case OpKind::Composite:
        case OpKind::Opaque:
            return true;
        case OpKind::CustomCall: {
            const auto* call = wideAs<CustomCallAttributes>(operation.attributes);
            return !call || call->hasSideEffect;
        }
        default:
            if (isShardyCollective(operation.kind))
                return true; // counts as an exchange that happens
            break;
        }
        return std::any_of(operation.regions.begin(), operation.regions.end(), [&](RegionId region) {
            const std::vector<OperationId>& held = m_edit.region(region).operations;
            return std::any_of(held.begin(), held.end(), [&](OperationId inner) { return hasEffect(inner); });
        });
    }
    [[nodiscard]] bool isUnused(OperationId id) const
    {
        const Operation& operation = m_edit.operation(id);
        return std::all_of(operation.results.begin(), operation.results.end(),
                   [&](ValueId result) { return m_edit.uses(result).empty(); })
            && !hasEffect(id) && (!operation.results.empty() || operation.kind == OpKind::ManualComputation);
    }

    bool dropUnusedArguments(OperationId id)
    {
        const RegionId body = m_edit.operation(id).regions[0];
        ManualComputationAttributes manual = *wideAs<ManualComputationAttributes>(m_edit.operation(id).attributes);
        bool changed = false;
        for (std::size_t i = m_edit.region(body).arguments.size(); i-- > 0;) {
            if (!m_edit.uses(m_edit.region(body).arguments[i]).empty() || i >= m_edit.operation(id).operands.size())
                continue;
            m_edit.eraseArgument(body, i);
            m_edit.eraseOperand(id, i);
            if (i < manual.in.size())
                manual.in.erase(manual.in.begin() + static_cast<std::ptrdiff_t>(i));
            changed = true;
        }
        if (changed)
            m_edit.raw().operations[id.index].attributes = wide(std::move(manual));
        return changed;
    }

    bool dropEmpty(OperationId id)
    {
        const Operation& operation = m_edit.operation(id);
        if (!operation.operands.empty() || !operation.results.empty()
            || !m_edit.region(operation.regions[0]).operations.empty())
            return false;
        m_edit.erase(id);
        return true;
    }

    /// Over a single device there is nothing that the body would see of the values' parts.
    bool inlineBody(OperationId id)
    {
        const ManualComputationAttributes manual =
            *wideAs<ManualComputationAttributes>(m_edit.operation(id).attributes);
        std::int64_t devices = 1;
        for (const std::string& name : manual.manualAxes) {
            const Mesh* mesh = !manual.in.empty() ? m_edit.program().meshes[manual.in[0].mesh].mesh.get()
                : !manual.out.empty()             ? m_edit.program().meshes[manual.out[0].mesh].mesh.get()
                                                  : nullptr;
            const auto axis = mesh ? mesh->axisIndex(name) : std::nullopt;
            if (!axis)
                return false;
            devices *= mesh->size(*axis);
        }
        if (devices != 1)
            return false;
        const RegionId body = m_edit.operation(id).regions[0];
        const std::vector<ValueId> arguments = m_edit.region(body).arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            m_edit.replaceUses(arguments[i], m_edit.operation(id).operands[i]);
        const std::vector<ValueId> returned = m_edit.region(body).results;
        const SmallVector<ValueId, 2> results = m_edit.operation(id).results;
        for (std::size_t i = 0; i < results.size(); ++i)
            m_edit.replaceUses(results[i], returned[i]);
        m_edit.moveOperations(body, m_edit.regionOf(id), id);
        m_edit.erase(id);
        return true;
    }

    Editor m_edit;
};

} // namespace

Program canonicalize(Program program)
{
    return Canonicalizer(std::move(program)).run();
}

} // namespace shardscope::passes

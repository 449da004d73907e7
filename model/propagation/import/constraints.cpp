// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>

#include "propagation/pass_support.h"
#include "propagation/passes.h"

namespace shardscope::passes {

namespace {

class Applier {
public:
    explicit Applier(Program program)
        : m_edit(std::move(program))
        , m_position(m_edit.program().operations.size(), 0)
    {
        for (const Region& region : m_edit.program().regions)
            for (std::size_t i = 0; i < region.operations.size(); ++i)
                m_position[region.operations[i].index] = i;
    }

    Program run() &&
    {
        for (const RegionId body : bodies(m_edit.program())) {
            std::vector<OperationId> order;
            walkInnerFirst(m_edit.program(), body, [&](OperationId id) { order.push_back(id); });
            for (const OperationId id : order)
                visit(id);
        }
        return std::move(m_edit).finish();
    }

private:
    void visit(OperationId id)
    {
        if (isConstraint(id)) {
            redirectAfterChain(id);
            copyToInput(m_edit.operation(id).operands[0], ProgramSharding(*ownSharding(m_edit.operation(id))), id, 0);
        } else if (const auto* manual = attributesAs<ManualComputationAttributes>(m_edit.operation(id).attributes)) {
            const std::vector<ProgramSharding> in = manual->in;
            for (std::size_t i = 0; i < std::min<std::size_t>(in.size(), m_edit.operation(id).operands.size()); ++i)
                copyToInput(m_edit.operation(id).operands[i], in[i], id, i);
        }
    }

    [[nodiscard]] bool isConstraint(OperationId id) const
    {
        return id.valid() && m_edit.operation(id).kind == OpKind::ShardingConstraint
            && ownSharding(m_edit.operation(id));
    }
    [[nodiscard]] bool asksForSharding(const Use& use) const
    {
        return use.operation.valid()
            && (isConstraint(use.operation) || m_edit.operation(use.operation).kind == OpKind::ManualComputation);
    }

    /// A chain of constraints, each the only use of the one before it: later uses of the input mean its end.
    void redirectAfterChain(OperationId first)
    {
        const ValueId input = m_edit.operation(first).operands[0];
        if (isConstraint(m_edit.value(input).definition) || shardingAnywhere(m_edit, input))
            return;
        for (const Use& use : m_edit.uses(input))
            if (asksForSharding(use) && use.operation != first)
                return;
        OperationId tail = first;
        for (;;) {
            const UseList& uses = m_edit.uses(m_edit.result(tail));
            if (uses.size() != 1 || !isConstraint(uses[0].operation))
                break;
            tail = uses[0].operation;
        }
        const ValueId last = m_edit.result(tail);
        const UseList& uses = m_edit.uses(last);
        if (tail == first
            || std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return asksForSharding(use); }))
            return;
        const RegionId block = m_edit.regionOf(tail);
        const bool isFunction = !m_edit.ownerOf(block).valid();
        m_edit.replaceUsesIf(input, last, [&](const Use& use) {
            if (!use.operation.valid())
                return use.region == block && !isFunction;
            return use.operation != first && m_edit.regionOf(use.operation) == block
                && m_position[use.operation.index] > m_position[tail.index];
        });
    }

    /// The edge that holds the sharding of a value: the value is the edge's, or stands for the same (an argument of a
    /// loop's body).
    [[nodiscard]] OperationId edgeOf(ValueId value, RegionId* region) const
    {
        const OperationId definition = m_edit.value(value).definition;
        if (definition.valid())
            return m_edit.operation(definition).kind == OpKind::DataFlowEdge ? definition : OperationId();
        for (std::size_t r = 0; r < m_edit.program().regions.size(); ++r) {
            const RegionId id(r);
            const std::vector<ValueId>& arguments = m_edit.region(id).arguments;
            const std::size_t index = m_edit.value(value).index;
            if (index >= arguments.size() || arguments[index] != value)
                continue;
            *region = id;
            const OperationId owner = m_edit.ownerOf(id);
            if (!owner.valid() || m_edit.operation(owner).kind != OpKind::While
                || index >= m_edit.operation(owner).results.size())
                return {};
            for (const Use& use : m_edit.uses(m_edit.result(owner, index)))
                if (use.operation.valid() && m_edit.operation(use.operation).kind == OpKind::DataFlowEdge)
                    return use.operation;
            return {};
        }
        return {};
    }

    /// To be replicated over one device means nothing outside of a boundary.
    [[nodiscard]] static ProgramSharding withoutSizeOne(ProgramSharding sharding)
    {
        AxisList& replicated = sharding.sharding.replicated;
        replicated.erase(
            std::remove_if(replicated.begin(), replicated.end(), [](AxisRef axis) { return axis.size == 1; }),
            replicated.end());
        return sharding;
    }

    void copyToInput(ValueId input, const ProgramSharding& sharding, OperationId user, std::size_t slot)
    {
        if (!isFullyClosed(sharding) || shardingAnywhere(m_edit, input))
            return;
        for (const Use& use : m_edit.uses(input)) {
            if (!asksForSharding(use) || (use.operation == user && use.slot == slot))
                continue;
            const Operation& other = m_edit.operation(use.operation);
            const ProgramSharding* wanted = ownSharding(other);
            if (const auto* manual = attributesAs<ManualComputationAttributes>(other.attributes))
                wanted = use.slot < manual->in.size() ? &manual->in[use.slot] : nullptr;
            if (!wanted || *wanted != sharding)
                return;
        }
        RegionId region;
        const OperationId edge = edgeOf(input, &region);
        if (!edge.valid()) {
            const bool isInnerArgument = region.valid() && m_edit.ownerOf(region).valid();
            if (isInnerArgument)
                return;
            m_edit.setSharding(input, withoutSizeOne(sharding));
            return;
        }
        if (ownSharding(m_edit.operation(edge)))
            return;
        OperationId constraint = user;
        if (isConstraint(user)) {
            moveAfter(user, input, region);
        } else {
            constraint = m_edit.addLike(OpKind::ShardingConstraint, { input },
                ConstraintAttributes{ ExplicitSharding{ std::make_shared<const ProgramSharding>(sharding) } });
            m_position.push_back(0);
            m_edit.placeAfterDefinition(input, region, constraint);
        }
        m_edit.replaceUses(input, m_edit.result(constraint), constraint);
        if (!sharding.sharding.unreduced.empty()) {
            ProgramSharding open = openSharding(sharding.mesh, sharding.sharding.rank());
            open.sharding.unreduced = sharding.sharding.unreduced;
            open.unreducedKind = sharding.unreducedKind;
            setEdgeSharding(m_edit.raw(), edge, std::move(open));
        }
    }

    void moveAfter(OperationId constraint, ValueId input, RegionId region)
    {
        m_edit.detach(constraint);
        m_edit.placeAfterDefinition(input, region, constraint);
    }

    Editor m_edit;
    std::vector<std::size_t> m_position; ///< per OperationId, in its region
};

} // namespace

Program applyShardingConstraints(Program program)
{
    return Applier(std::move(program)).run();
}

} // namespace shardscope::passes

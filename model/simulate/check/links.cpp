// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/links.h"

#include <algorithm>

#include "program/body.h"
#include "simulate/check/rounding_bound.h"

namespace shardscope {

namespace {

/// Sums and the like, which come out otherwise in another order.
bool addsUp(const Program& program, const Operation& operation)
{
    switch (operation.kind) {
    case OpKind::Reduce:
    case OpKind::VariadicReduce:
    case OpKind::ReduceWindow:
    case OpKind::Scatter:
    case OpKind::SelectAndScatter:
    case OpKind::AllReduce:
    case OpKind::ReduceScatter: {
        const std::optional<ReduceKind> kind = reductionOf(program, operation);
        return !kind || *kind == ReduceKind::Sum || *kind == ReduceKind::Product;
    }
    case OpKind::DotGeneral:
    case OpKind::Dot:
    case OpKind::Convolution:
    case OpKind::ChloRaggedDot:
    case OpKind::Cholesky:
    case OpKind::TriangularSolve:
    case OpKind::Fft:
    case OpKind::BatchNormInference:
    case OpKind::BatchNormTraining:
    case OpKind::BatchNormGrad:
    case OpKind::CustomCall:
    case OpKind::Map:
    case OpKind::Opaque:
        return true;
    default:
        return false;
    }
}

bool isControl(OpKind kind)
{
    return kind == OpKind::While || kind == OpKind::If || kind == OpKind::Case;
}

bool isReduction(OpKind kind)
{
    return kind == OpKind::Reduce || kind == OpKind::VariadicReduce || kind == OpKind::ReduceWindow;
}

class LinkFinder {
public:
    LinkFinder(const Plan& reference, const FlatProgram& devices)
        : m_plan(reference)
        , m_flat(*reference.program)
        , m_devices(devices)
        , m_specified(*m_flat.program)
        , m_exact(m_flat.values.size(), true)
        , m_checked(m_specified.values.size())
        , m_held(m_specified.values.size())
        , m_addends(m_specified.values.size())
        , m_names(m_flat.values.size())
    {
        for (const ValueId value : checkedValues(m_specified))
            m_checked[value.index] = true;
        const auto hold = [&](FlatValueId value) {
            if (value.valid() && value.index < m_held.size() && devices.value(value).isShard)
                m_held[value.index] = true;
        };
        for (const FlatOp& op : devices.main().ops)
            for (const FlatValueId result : op.results)
                hold(result);
        for (const auto& [name, value] : devices.aliases)
            hold(name);
        for (const FlatValue& value : devices.values)
            if (value.origin.valid() && value.origin.index < m_addends.size() && !value.sharding.unreduced.empty())
                m_addends[value.origin.index] = true;
        for (std::size_t v = 0; v < m_specified.values.size(); ++v)
            m_names[v].emplace_back(v);
        for (const auto& [name, value] : m_flat.aliases)
            m_names[value.index].emplace_back(name.index);
    }

    std::vector<LinkStep> find()
    {
        std::vector<const FlatOp*> madeBy(m_plan.slots.size());
        for (const FlatOp& op : m_flat.main().ops)
            for (const FlatValueId result : op.results)
                if (result.valid() && m_plan.slotOf[result.index].valid())
                    madeBy[m_plan.slotOf[result.index].index] = &op;
        std::vector<LinkStep> steps;
        for (const Instruction& instruction : m_plan.instructions) {
            const OperationId id = std::visit(
                [](const auto& action) {
                    if constexpr (requires { action.operation; })
                        return action.operation;
                    else
                        return OperationId();
                },
                instruction.action);
            if (!id.valid() || m_flat.local->operation(id).results.empty())
                continue;
            LinkStep& step =
                steps.emplace_back(LinkStep{ id, std::holds_alternative<ControlInstruction>(instruction.action), {} });
            const auto slot = std::find_if(instruction.results.begin(), instruction.results.end(),
                [&](SlotId result) { return result.valid() && madeBy[result.index]; });
            if (slot != instruction.results.end() && madeBy[slot->index]->operation == id)
                addLinks(step, *madeBy[slot->index]);
        }
        return steps;
    }

private:
    void addLinks(LinkStep& step, const FlatOp& op)
    {
        bool fromExact = true;
        for (const FlatValueId operand : op.operands)
            fromExact = fromExact && (!operand.valid() || m_exact[operand.index]);
        for (const auto& [inner, outer] : op.captured)
            fromExact = fromExact && m_exact[outer.index];
        const Operation& operation = m_flat.operation(op);
        const bool rounds = roundsIn(op);
        for (std::uint32_t r = 0; r < op.results.size(); ++r) {
            const FlatValueId result = op.results[r];
            if (!result.valid())
                continue;
            Link link;
            link.result = r;
            const FlatValue& flat = m_flat.value(result);
            const bool hasAddends =
                flat.origin.valid() && flat.origin.index < m_addends.size() && m_addends[flat.origin.index];
            if (!isFloat(realPart(flat.localType.dtype)))
                link.kind = LinkKind::Equal;
            else if (fromExact && hasRoundingBound(*m_flat.local, operation))
                link.kind = LinkKind::Bounded;
            else if (fromExact && isApproximate(*m_flat.local, operation))
                link.kind = LinkKind::Approximate;
            else if (!fromExact || rounds || hasAddends || isApproximate(*m_flat.local, operation))
                link.kind = LinkKind::Accumulated;
            m_exact[result.index] = link.kind == LinkKind::Equal;
            if (!flat.isShard || !flat.sharding.isFullyReplicated())
                continue; // in a manual computation
            name(link, result);
            if (!link.value.valid())
                continue;
            m_exact[result.index] = true; // the devices' own from here on
            step.links.push_back(std::move(link));
        }
    }

    /// By which name it is compared, and as which results.
    void name(Link& link, FlatValueId result) const
    {
        const Shape& shape = m_flat.value(result).fullShape;
        for (const ValueId name : m_names[result.index]) {
            if (!m_checked[name.index] || !m_held[name.index]
                || m_devices.value(FlatValueId(name.index)).fullShape != shape)
                continue;
            const bool isBetter =
                !link.isShown || (m_specified.value(link.value).path.empty() && !m_specified.value(name).path.empty());
            if (isBetter)
                link.value = name;
            link.isShown = true;
        }
        const std::vector<FlatValueId>& results = m_flat.main().results;
        for (std::size_t r = 0; r < results.size(); ++r) {
            if (results[r] != result)
                continue;
            link.results.push_back(r);
            const std::vector<StatePair>& state = m_flat.state.pairs;
            const bool isState =
                std::any_of(state.begin(), state.end(), [r](const StatePair& pair) { return pair.result == r; });
            if (link.value.valid() && !isState)
                continue;
            link.value = m_specified.main().results[r];
            link.isShown = false; // it stands where the old state did
        }
    }

    /// Whether anything in it comes out otherwise when it is added up in another order, or by another kernel.
    [[nodiscard]] bool roundsIn(const FlatOp& op) const
    {
        const Operation& operation = m_flat.operation(op);
        if (!isControl(operation.kind))
            return addsUp(*m_flat.local, operation);
        return std::any_of(op.blocks.begin(), op.blocks.end(), [&](std::uint32_t block) {
            const std::vector<FlatOp>& ops = m_flat.blocks[block].ops;
            return std::any_of(ops.begin(), ops.end(), [&](const FlatOp& inner) {
                return roundsIn(inner) || isApproximate(*m_flat.local, m_flat.operation(inner));
            });
        });
    }

    const Plan& m_plan;
    const FlatProgram& m_flat;
    const FlatProgram& m_devices;
    const Program& m_specified;
    std::vector<bool> m_exact; ///< per flat value: the reference has the devices' bits
    std::vector<bool> m_checked, m_held, m_addends; ///< per value of the given program, on the devices
    std::vector<std::vector<ValueId>> m_names; ///< per flat value: those of the given program
};

} // namespace

std::vector<ValueId> checkedValues(const Program& program)
{
    std::vector<bool> asked(program.values.size()), checked(program.values.size());
    for (std::size_t v = 0; v < asked.size(); ++v)
        asked[v] = program.values[v].role == Role::Gradient;
    std::vector<bool> isState(program.main().results.size());
    for (const StatePair& pair : program.state)
        isState[pair.result] = true;
    for (std::size_t r = 0; r < isState.size(); ++r)
        if (!isState[r])
            asked[program.main().results[r].index] = true;
    const auto users = usersOf(program);
    for (const Operation& operation : program.operations) {
        const bool isLink = isControl(operation.kind) || isReduction(operation.kind) || addsUp(program, operation)
            || isApproximate(program, operation);
        for (const ValueId result : operation.results)
            checked[result.index] = isLink || asked[result.index];
    }
    for (const OperationId id : program.main().operations) {
        const Operation& operation = program.operation(id);
        if (operation.kind != OpKind::ShardingConstraint)
            continue;
        const std::uint32_t inner = operation.operands[0].index;
        if (!checked[inner] || asked[inner] || users[inner].size() != 1)
            continue;
        checked[inner] = false;
        checked[operation.results[0].index] = true;
    }
    std::vector<ValueId> values;
    for (const Operation& operation : program.operations)
        for (const ValueId result : operation.results)
            if (checked[result.index])
                values.push_back(result);
    return values;
}

std::vector<LinkStep> linkSteps(const Plan& reference, const FlatProgram& devices)
{
    return LinkFinder(reference, devices).find();
}

} // namespace shardscope

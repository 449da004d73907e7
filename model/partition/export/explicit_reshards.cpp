// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/export/explicit_reshards.h"

#include <algorithm>

#include "base/codes.h"
#include "partition/export/reshard_inserter.h"
#include "program/calls.h"
#include "program/value_shardings.h"
#include "program/verify_findings.h"
#include "propagation/data_flow.h"
#include "propagation/pass_support.h"

namespace shardscope::passes {

namespace {

bool hasBorder(OpKind kind)
{
    switch (kind) {
    case OpKind::While:
    case OpKind::Case:
    case OpKind::If:
    case OpKind::OptimizationBarrier:
    case OpKind::ManualComputation:
    case OpKind::NamedComputation:
        return true;
    default:
        return false;
    }
}

/// Says itself what becomes of the sharding, or nothing is computed.
bool isLeftAlone(OpKind kind)
{
    switch (kind) {
    case OpKind::ShardingConstraint:
    case OpKind::ShardingGroup:
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge:
        return true;
    default:
        return isShardyCollective(kind);
    }
}

} // namespace

ReshardInserter::ReshardInserter(Program program, ReshardVersion version)
    : m_edit(std::move(program))
    , m_full(version != ReshardVersion::Minimal)
    , m_halos(version == ReshardVersion::FullWithHalos)
    , m_numbers(m_edit.program())
    , m_regionOfArgument(m_edit.program().values.size())
{
    for (std::size_t r = 0; r < m_edit.program().regions.size(); ++r)
        for (const ValueId argument : m_edit.program().regions[r].arguments)
            m_regionOfArgument[argument.index] = RegionId(r);
    for (const Function& function : m_edit.program().functions)
        m_bodies.emplace_back(function.name, function.body);
    std::sort(m_bodies.begin(), m_bodies.end());
}

Result<ExplicitReshards> ReshardInserter::run() &&
{
    if (std::optional<Error> wrong = findSingleDevice())
        return tl::unexpected<Error>(std::move(*wrong));
    const std::vector<RegionId> functions = bodies(m_edit.program());
    for (std::size_t f = 0; f < functions.size(); ++f) {
        std::vector<OperationId> order;
        walkInnerFirst(m_edit.program(), functions[f], [&](OperationId id) { order.push_back(id); });
        for (const OperationId id : order)
            if (std::optional<Error> wrong = visit(id))
                return tl::unexpected<Error>(std::move(*wrong));
        visitReturn(f);
    }
    for (auto after = m_after.rbegin(); after != m_after.rend(); ++after)
        if (after->definition.valid())
            m_edit.placeAfter(after->definition, after->placed);
        else
            m_edit.placeFirst(after->region, after->placed);
    return ExplicitReshards{ std::move(m_edit).finish(), std::move(m_inserted) };
}

std::optional<Error> ReshardInserter::findSingleDevice() const
{
    if (!m_full)
        return {};
    const Program& program = m_edit.program();
    const auto isSingle = [&](ShardingIndex index) {
        return index != 0 && program.meshes[program.shardings[index - 1].mesh].onlyDevice;
    };
    for (const Function& function : program.functions) {
        const Region& body = m_edit.region(function.body);
        for (std::size_t i = 0; i < body.arguments.size(); ++i)
            if (isSingle(program.valueShardings[body.arguments[i].index]))
                return verification::diagnosticAt(program, Code::MaximalMesh, {},
                    { .function = &function,
                        .role = "argument",
                        .index = static_cast<std::int64_t>(i),
                        .value = body.arguments[i] });
        for (std::size_t i = 0; i < function.resultShardings.size(); ++i)
            if (isSingle(function.resultShardings[i]))
                return verification::diagnosticAt(program, Code::MaximalMesh, {},
                    { .function = &function, .role = "function_result", .index = static_cast<std::int64_t>(i) });
    }
    return {};
}

std::optional<Error> ReshardInserter::visit(OperationId id)
{
    const Operation& operation = m_edit.operation(id);
    if (isLeftAlone(operation.kind))
        return {};
    if (hasBorder(operation.kind)) {
        visitDataFlow(id);
        return {};
    }
    if (isCall(operation.kind)) {
        visitCall(id);
        return {};
    }
    if (operation.kind == OpKind::Reshard) {
        visitReshard(id);
        return {};
    }
    if (operation.results.empty() && operation.operands.empty())
        return {};
    reducePartialOperands(id);
    if (m_full)
        for (const ValueId result : m_edit.operation(id).results)
            if (const ShardingNumber number = m_numbers.of(result);
                number != ValueNumbers::none && m_edit.program().meshes[m_numbers.mesh(number)].onlyDevice)
                return visitSingleDevice(id, m_numbers.mesh(number));
    visitOperation(id);
    return {};
}

/// Sources are resharded to what their edge's values have.
void ReshardInserter::visitDataFlow(OperationId id)
{
    const Operation operation = m_edit.operation(id);
    const auto source = [&](const Use& use, ShardingNumber wanted) {
        if (isStaticTensor(type(valueOf(use))))
            adjust(use, wanted, m_full, { Reason::Kind::BoundaryReshard, id, -1, static_cast<std::int32_t>(use.slot) },
                {});
    };
    const auto operand = [&](std::size_t slot) { return Use{ id, {}, static_cast<std::uint32_t>(slot) }; };
    const auto returned = [&](RegionId region, std::size_t slot, ShardingNumber wanted) {
        if (slot < m_edit.region(region).results.size())
            source({ {}, region, static_cast<std::uint32_t>(slot) }, wanted);
    };

    const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes);
    const auto* named = attributesAs<NamedComputationAttributes>(operation.attributes);
    if (manual || named) {
        const std::vector<ProgramSharding>& in = manual ? manual->in : named->in;
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            source(operand(i), i < in.size() ? m_numbers.number(in[i]) : ValueNumbers::none);
        const std::vector<ProgramSharding>& out = manual ? manual->out : named->out;
        for (std::size_t i = 0; i < operation.results.size() && !operation.regions.empty(); ++i) {
            ShardingNumber wanted = ValueNumbers::none;
            if (i < out.size())
                wanted = m_numbers.number(manual ? withoutAxes(m_edit.program(), out[i], manual->manualAxes) : out[i]);
            returned(operation.regions[0], i, wanted);
        }
        return;
    }
    for (std::size_t i = 0; i < operation.results.size(); ++i) {
        const ShardingNumber wanted = m_numbers.of(operation.results[i]);
        if (operation.kind == OpKind::While || operation.kind == OpKind::OptimizationBarrier)
            if (i < operation.operands.size())
                source(operand(i), wanted);
        if (operation.kind == OpKind::While && operation.regions.size() == 2)
            returned(operation.regions[1], i, wanted);
        if (operation.kind == OpKind::Case || operation.kind == OpKind::If)
            for (const RegionId region : operation.regions)
                returned(region, i, wanted);
    }
}

void ReshardInserter::visitCall(OperationId id)
{
    const std::string* callee = calleeOf(m_edit.operation(id));
    const auto found = std::lower_bound(m_bodies.begin(), m_bodies.end(), *callee,
        [](const auto& body, const std::string& name) { return body.first < name; });
    if (found == m_bodies.end() || found->first != *callee)
        return;
    const std::vector<ValueId> arguments = m_edit.region(found->second).arguments;
    const std::size_t count = std::min<std::size_t>(arguments.size(), m_edit.operation(id).operands.size());
    for (std::size_t i = 0; i < count; ++i)
        if (isStaticTensor(type(arguments[i])))
            adjust({ id, {}, static_cast<std::uint32_t>(i) }, m_numbers.of(arguments[i]), true,
                { Reason::Kind::CallReshard, id, -1, static_cast<std::int32_t>(i) }, {});
}

/// A reshard to more unreduced axes is no single step; any other one stays.
void ReshardInserter::visitReshard(OperationId id)
{
    const ValueId operand = m_edit.operation(id).operands[0];
    const ValueId result = m_edit.result(id);
    const ShardingNumber wanted = m_numbers.of(result);
    if (!m_numbers.isPartial(wanted)) {
        reducePartialOperands(id);
        return;
    }
    const std::optional<ProgramSharding> from = m_numbers.sharding(m_numbers.of(operand));
    const std::optional<ProgramSharding> to = m_numbers.sharding(wanted);
    if (!from || !becomesPartial(*from, *to)) {
        reducePartialOperands(id);
        return;
    }
    const Reason reason{ Reason::Kind::ConstraintReshard, id, -1, 0 };
    const std::vector<ShardingStep> steps = shardingSteps(&*from, &*to, type(operand).rank(), m_full);
    const ValueId made = addSteps(operand, steps, reason, id, { .before = id, .end = {} });
    m_edit.replaceUses(result, made);
    m_edit.erase(id);
}

void ReshardInserter::visitReturn(std::size_t function)
{
    const Program& program = m_edit.program();
    const RegionId body = program.functions.empty() ? RegionId(std::size_t{ 0 }) : program.functions[function].body;
    const std::vector<ShardingIndex> declared = function < program.functions.size()
        ? program.functions[function].resultShardings
        : std::vector<ShardingIndex>();
    for (std::size_t i = 0; i < m_edit.region(body).results.size(); ++i) {
        if (!isTensor(type(m_edit.region(body).results[i]).dtype))
            continue;
        const ShardingIndex index = i < declared.size() ? declared[i] : 0;
        const ShardingNumber wanted =
            index == 0 ? ValueNumbers::none : m_numbers.number(m_edit.program().shardings[index - 1]);
        adjust({ {}, body, static_cast<std::uint32_t>(i) }, wanted, m_full,
            { Reason::Kind::ReturnReshard, {}, -1, static_cast<std::int32_t>(i) }, { .before = {}, .end = body });
    }
}

void ReshardInserter::adjust(const Use& use, ShardingNumber wanted, bool reshards, const Reason& reason, Place place)
{
    const ValueId value = valueOf(use);
    const ShardingNumber current = m_numbers.of(value);
    if (current == wanted
        || (!m_numbers.hasAxes(current) && !m_numbers.hasAxes(wanted) && !m_numbers.isPartial(current)
            && !m_numbers.isPartial(wanted)))
        return;
    const std::optional<ProgramSharding> from = m_numbers.sharding(current);
    const std::optional<ProgramSharding> to = m_numbers.sharding(wanted);
    const std::vector<ShardingStep> steps =
        shardingSteps(from ? &*from : nullptr, to ? &*to : nullptr, type(value).rank(), reshards);
    if (!steps.empty())
        setUse(use, addSteps(value, steps, reason, reason.operation, place));
}

ValueId ReshardInserter::valueOf(const Use& use) const
{
    return use.operation.valid() ? m_edit.operation(use.operation).operands[use.slot]
                                 : m_edit.region(use.region).results[use.slot];
}

void ReshardInserter::setUse(const Use& use, ValueId value)
{
    if (use.operation.valid())
        m_edit.setOperand(use.operation, use.slot, value);
    else
        m_edit.setReturned(use.region, use.slot, value);
}

ValueId ReshardInserter::addSteps(
    ValueId value, std::span<const ShardingStep> steps, const Reason& reason, OperationId like, Place place)
{
    const ValueId start = value;
    OperationId last;
    for (const ShardingStep& step : steps) {
        const OperationId made = add(step, value, like, reason);
        if (place.before.valid())
            m_edit.placeBefore(place.before, made);
        else if (place.end.valid())
            m_edit.placeLast(place.end, made);
        else if (last.valid())
            m_edit.placeAfter(last, made);
        else
            m_after.push_back({ m_edit.value(start).definition,
                m_edit.value(start).definition.valid() ? RegionId() : m_regionOfArgument[start.index], made });
        last = made;
        value = m_edit.result(made);
    }
    return value;
}

OperationId ReshardInserter::add(const ShardingStep& step, ValueId operand, OperationId like, const Reason& reason)
{
    const TensorType made = type(operand);
    const OperationId id = m_edit.add(step.kind, { &operand, 1 }, { &made, 1 }, step.attributes,
        like.valid() ? like : m_edit.value(operand).definition);
    m_numbers.set(m_edit.result(id), m_numbers.number(step.after));
    m_inserted.push_back({ id, reason });
    return id;
}

Result<ExplicitReshards> insertExplicitReshards(Program program, ReshardVersion version)
{
    return ReshardInserter(std::move(program), version).run();
}

} // namespace shardscope::passes

// SPDX-License-Identifier: GPL-3.0-or-later
// Explicit reshards of one operation.
// A part of ReshardInserter, which is declared in reshard_inserter.h.
#include <algorithm>

#include "base/codes.h"
#include "partition/export/reshard_inserter.h"
#include "partition/halo_dimensions.h"
#include "program/body.h"
#include "program/custom_calls.h"
#include "program/unreduced_axes.h"
#include "program/verify_findings.h"
#include "propagation/pass_support.h"
#include "propagation/projection.h"

namespace shardscope::passes {

namespace {

/// How the partial results of an operation are put together.
ReduceKind reductionOfResult(const Program& program, const Operation& operation)
{
    if (const auto* reduce = std::get_if<ReduceAttributes>(&operation.attributes))
        return reduce->kind;
    const OpKind kind = operation.kind;
    if (kind == OpKind::VariadicReduce || kind == OpKind::Scatter || kind == OpKind::ReduceWindow)
        return reductionOf(program, operation).value_or(ReduceKind::Sum);
    return ReduceKind::Sum;
}

/// Each with the tensor of a rule that it is about.
template <class Visit>
void forTensors(const FactorRule& rule, const Operation& operation, Visit visit)
{
    for (std::size_t i = 0; i < rule.operands.size(); ++i)
        visit(operation.operands[i], rule.operands[i]);
    for (std::size_t i = 0; i < rule.results.size(); ++i)
        visit(operation.results[i], rule.results[i]);
}

bool hasFactor(const FactorRule::TensorMapping& mapping, std::size_t factor)
{
    return std::any_of(mapping.begin(), mapping.end(), [&](const FactorRule::DimensionFactors& factors) {
        return std::find(factors.begin(), factors.end(), static_cast<std::int32_t>(factor)) != factors.end();
    });
}

void append(AxisList& list, const AxisList& more)
{
    for (const AxisRef& axis : more)
        list.push_back(axis);
}

} // namespace

ProgramSharding ReshardInserter::orReplicated(ShardingNumber number, std::uint32_t mesh, std::size_t rank) const
{
    std::optional<ProgramSharding> sharding = m_numbers.sharding(number);
    return sharding ? std::move(*sharding) : closedSharding(mesh, rank);
}

void ReshardInserter::setSharding(ValueId value, const ProgramSharding& sharding)
{
    m_edit.setSharding(value, sharding);
    m_numbers.set(value, m_numbers.number(sharding));
}

/// What the first result does not keep partial is added up before the operation.
void ReshardInserter::reducePartialOperands(OperationId id)
{
    for (std::size_t slot = 0; slot < m_edit.operation(id).operands.size(); ++slot) {
        const ValueId operand = m_edit.operation(id).operands[slot];
        if (!m_numbers.isPartial(m_numbers.of(operand)))
            continue;
        const ProgramSharding from = *m_numbers.sharding(m_numbers.of(operand));
        const SmallVector<ValueId, 2>& results = m_edit.operation(id).results;
        const AxisList kept = results.empty() ? AxisList() : m_numbers.tensor(m_numbers.of(results[0])).unreduced;
        const AxisList axes = axesMinus(from.sharding.unreduced, kept);
        if (axes.empty())
            continue;
        const ShardingStep step = allReduceStep(from, axes, from.unreducedKind);
        const Reason reason{ Reason::Kind::PartialOperand, id, -1, static_cast<std::int32_t>(slot) };
        m_edit.setOperand(id, slot, addSteps(operand, { &step, 1 }, reason, id, { .before = id, .end = {} }));
    }
}

void ReshardInserter::visitOperation(OperationId id)
{
    if (m_edit.operation(id).results.empty())
        return;
    if (m_full || needsFullTreatment(id)) {
        matchTensors(id);
        return;
    }
    reducePartialResult(id);
    keepProductLocal(id);
}

bool ReshardInserter::needsFullTreatment(OperationId id) const
{
    const Operation& operation = m_edit.operation(id);
    if (operation.kind == OpKind::ChloRaggedDot)
        return true;
    if (const auto* call = attributesAs<CustomCallAttributes>(operation.attributes))
        return call->target == "mhlo.ragged_dot";
    return operation.kind == OpKind::Concatenate
        && std::any_of(operation.operands.begin(), operation.operands.end(),
            [&](ValueId operand) { return m_numbers.of(operand) != m_numbers.of(operation.results[0]); });
}

/// Devices put their parts together by exchanging shards.
bool ReshardInserter::exchangesShards(OperationId id) const
{
    const Operation& operation = m_edit.operation(id);
    if (!m_halos || operation.kind != OpKind::Concatenate)
        return false;
    std::vector<ProgramSharding> found;
    found.reserve(operation.operands.size() + operation.results.size());
    const auto tensors = haloTensors(
        m_edit.program(), operation, [&](ValueId value) { return type(value); },
        [&](ValueId value) -> const ProgramSharding* {
            std::optional<ProgramSharding> current = m_numbers.sharding(m_numbers.of(value));
            return current ? &found.emplace_back(std::move(*current)) : nullptr;
        });
    return tensors && !worthwhileHalos(operation, *tensors).empty();
}

void ReshardInserter::matchTensors(OperationId id)
{
    if (exchangesShards(id))
        return;
    const Operation& operation = m_edit.operation(id);
    SmallVector<ShardingNumber, 8> tensors;
    bool sharded = false;
    bool same = opRow(operation.kind).elementwise;
    const auto take = [&](ValueId value) {
        const ShardingNumber number = m_numbers.of(value);
        tensors.push_back(number);
        sharded = sharded || m_numbers.hasAxes(number);
        same = same && (number == m_numbers.of(operation.results[0]) || type(value).rank() == 0);
    };
    for (const ValueId operand : operation.operands)
        take(operand);
    for (const ValueId result : operation.results)
        take(result);
    if (!sharded || same)
        return;
    const std::optional<std::uint32_t> mesh = majorityMesh(tensors);
    if (!mesh)
        return;
    const FactorRule rule = factorRule(m_edit.program(), operation);
    if (!rule.exists() || rule.custom || rule.factors.empty())
        return;
    if (const std::optional<Choice> choice = choose(id, rule, *mesh))
        apply(id, rule, *choice);
}

/// The mesh of most of what is sharded; nothing where axes differ.
std::optional<std::uint32_t> ReshardInserter::majorityMesh(std::span<const ShardingNumber> tensors) const
{
    struct Count {
        std::uint32_t mesh = 0;
        int sharded = 0;
    };
    SmallVector<Count, 4> counts;
    const std::vector<ProgramMesh>& meshes = m_edit.program().meshes;
    for (const ShardingNumber number : tensors) {
        if (number == ValueNumbers::none)
            continue;
        const std::uint32_t index = m_numbers.mesh(number);
        const Mesh& mesh = *meshes[index].mesh;
        if (meshes[index].onlyDevice)
            return std::nullopt;
        if (mesh.rank() == 0)
            continue;
        auto known = std::find_if(counts.begin(), counts.end(),
            [&](const Count& count) { return count.mesh == index || *meshes[count.mesh].mesh == mesh; });
        if (known == counts.end()) {
            if (!counts.empty()
                && !std::equal(mesh.axes().begin(), mesh.axes().end(), meshes[counts[0].mesh].mesh->axes().begin(),
                    meshes[counts[0].mesh].mesh->axes().end()))
                return std::nullopt;
            counts.push_back({ index, 0 });
            known = counts.end() - 1;
        }
        known->sharded += m_numbers.hasAxes(number) ? 1 : 0;
    }
    const auto most = std::max_element(
        counts.begin(), counts.end(), [](const Count& a, const Count& b) { return a.sharded < b.sharded; });
    return most == counts.end() ? std::nullopt : std::optional(most->mesh);
}

/// Nothing where everything is as it has to be.
std::optional<ReshardInserter::Choice> ReshardInserter::choose(
    OperationId id, const FactorRule& rule, std::uint32_t mesh)
{
    const Operation& operation = m_edit.operation(id);
    std::vector<TensorSharding> replicated; // of tensors without a sharding
    replicated.reserve(operation.operands.size() + operation.results.size());
    std::vector<TensorInOperation> operands, results;
    operands.reserve(rule.operands.size());
    results.reserve(rule.results.size());
    const auto take = [&](std::vector<TensorInOperation>& list, ValueId value, std::size_t rank) {
        const ShardingNumber number = m_numbers.of(value);
        const TensorSharding* sharding = &m_numbers.tensor(number);
        if (number == ValueNumbers::none || sharding->rank() != rank)
            sharding = &replicated.emplace_back(TensorSharding::fullyReplicated(rank));
        list.push_back({ sharding, type(value).elementCount() });
    };
    for (std::size_t i = 0; i < rule.operands.size(); ++i)
        take(operands, operation.operands[i], rule.operands[i].size());
    for (std::size_t i = 0; i < rule.results.size(); ++i)
        take(results, operation.results[i], rule.results[i].size());

    Choice choice;
    choice.mesh = mesh;
    choice.changed.reserve(rule.operands.size() + rule.results.size());
    choice.common = commonSharding(rule, operands, results, operation.kind == OpKind::Reshape);
    bool any = !choice.common.partial.empty();
    const auto compare = [&](ValueId value, const TensorInOperation& specified, const TensorSharding& wanted,
                             const FactorRule::TensorMapping& mapping) {
        const ShardingNumber number = m_numbers.of(value);
        const bool elsewhere = m_numbers.hasAxes(number)
            && !(*m_edit.program().meshes[m_numbers.mesh(number)].mesh == *m_edit.program().meshes[mesh].mesh);
        std::int32_t factor = -1;
        if (elsewhere || !specified.sharding->isEquivalent(wanted)) {
            const TensorProjection projection = project(*specified.sharding, mapping, rule);
            for (std::size_t f = 0; f < rule.factors.size() && factor < 0; ++f)
                if (hasFactor(mapping, f)
                    && (!projection.factors[f] || !(projection.factors[f]->axes == choice.common.factors[f])))
                    factor = static_cast<std::int32_t>(f);
            factor = std::max(factor, 0);
            any = true;
        }
        choice.changed.push_back(factor);
    };
    for (std::size_t i = 0; i < operands.size(); ++i)
        compare(operation.operands[i], operands[i], choice.common.operands[i], rule.operands[i]);
    for (std::size_t i = 0; i < results.size(); ++i)
        compare(operation.results[i], results[i], choice.common.results[i], rule.results[i]);
    return any ? std::optional(std::move(choice)) : std::nullopt;
}

void ReshardInserter::apply(OperationId id, const FactorRule& rule, const Choice& choice)
{
    const auto chosen = [&](ShardingNumber number, const TensorSharding& wanted) {
        ProgramSharding sharding{ choice.mesh, wanted };
        if (const auto before = m_numbers.sharding(number))
            sharding.unreducedKind = before->unreducedKind;
        return sharding;
    };
    for (std::size_t i = 0; i < rule.operands.size(); ++i) {
        if (choice.changed[i] < 0)
            continue;
        const ValueId operand = m_edit.operation(id).operands[i];
        const ProgramSharding wanted = chosen(m_numbers.of(operand), choice.common.operands[i]);
        const ShardingStep step{ OpKind::Reshard, wanted, otherAttributes(OwnShardingAttributes{ wanted }) };
        const Reason reason{ Reason::Kind::OperandReshard, id, choice.changed[i], static_cast<std::int32_t>(i) };
        m_edit.setOperand(id, i, addSteps(operand, { &step, 1 }, reason, id, { .before = id, .end = {} }));
    }
    std::vector<ProgramSharding> before;
    for (std::size_t i = 0; i < rule.results.size(); ++i) {
        const ValueId result = m_edit.operation(id).results[i];
        before.push_back(orReplicated(m_numbers.of(result), choice.mesh, type(result).rank()));
        if (choice.changed[rule.operands.size() + i] >= 0)
            setSharding(result, chosen(m_numbers.of(result), choice.common.results[i]));
    }
    // What is added up stands before what is resharded; both read what they are put after.
    const SmallVector<ValueId, 2> current = reduceResults(id, rule, choice.common.partial, choice.mesh);
    for (std::size_t i = 0; i < rule.results.size(); ++i)
        if (const std::int32_t factor = choice.changed[rule.operands.size() + i]; factor >= 0)
            restore(
                id, current[i], before[i], { Reason::Kind::ResultReshard, id, factor, static_cast<std::int32_t>(i) });
}

/// The results, or what they are added up to.
SmallVector<ValueId, 2> ReshardInserter::reduceResults(
    OperationId id, const FactorRule& rule, const AxisList& partial, std::uint32_t mesh)
{
    SmallVector<ValueId, 2> current = m_edit.operation(id).results;
    if (partial.empty())
        return current;
    const ReduceKind kind = reductionOfResult(m_edit.program(), m_edit.operation(id));
    const auto reduced = std::find_if(rule.factors.begin(), rule.factors.end(),
        [](const FactorRule::Factor& factor) { return factor.kind == FactorKind::Reduction; });
    for (std::size_t i = 0; i < current.size(); ++i) {
        const ValueId result = current[i];
        if (!isTensor(type(result).dtype))
            continue;
        const AxisList axes = axesMinus(partial, m_numbers.tensor(m_numbers.of(result)).unreduced);
        if (axes.empty() || m_edit.uses(result).empty() || isAddedUp(result, axes))
            continue;
        const ProgramSharding from = orReplicated(m_numbers.of(result), mesh, type(result).rank());
        const OperationId made = add(allReduceStep(from, axes, kind), result, id,
            { Reason::Kind::ReducedFactor, id, static_cast<std::int32_t>(reduced - rule.factors.begin()),
                static_cast<std::int32_t>(i) });
        m_edit.placeAfter(id, made);
        current[i] = m_edit.result(made);
        m_edit.replaceUses(result, current[i], made);
    }
    return current;
}

/// The program does so already.
bool ReshardInserter::isAddedUp(ValueId result, const AxisList& axes) const
{
    const UseList& uses = m_edit.uses(result);
    if (uses.size() != 1 || !uses[0].operation.valid())
        return false;
    const Operation& user = m_edit.operation(uses[0].operation);
    return user.kind == OpKind::SdyAllReduce
        && axesMinus(axes, attributesAs<SdyCollectiveAttributes>(user.attributes)->axes).empty();
}

/// After the operation, users find the sharding that its result had.
ValueId ReshardInserter::restore(OperationId id, ValueId current, const ProgramSharding& sharding, const Reason& reason)
{
    if (m_edit.uses(current).empty())
        return current;
    const ShardingStep step{ OpKind::Reshard, sharding, otherAttributes(OwnShardingAttributes{ sharding }) };
    const OperationId made = add(step, current, id, reason);
    m_edit.placeAfter(id, made);
    m_edit.replaceUses(current, m_edit.result(made), made);
    return m_edit.result(made);
}

/// Minimal version: what the first result does not keep partial of a sharded reduction.
void ReshardInserter::reducePartialResult(OperationId id)
{
    const Operation& operation = m_edit.operation(id);
    const ShardingNumber first = m_numbers.of(operation.results[0]);
    if (!m_numbers.isPartial(first))
        return;
    const FactorRule rule = factorRule(m_edit.program(), operation);
    if (!rule.exists() || rule.custom)
        return;
    AxisList partial;
    std::vector<char> seen(rule.factors.size(), 0);
    for (std::size_t i = 0; i < rule.operands.size(); ++i) {
        const ShardingNumber number = m_numbers.of(operation.operands[i]);
        if (number == ValueNumbers::none || m_numbers.tensor(number).rank() != rule.operands[i].size())
            continue;
        const TensorProjection projection = project(m_numbers.tensor(number), rule.operands[i], rule);
        for (std::size_t f = 0; f < rule.factors.size(); ++f)
            if (rule.factors[f].kind == FactorKind::Reduction && projection.factors[f] && seen[f]++ == 0)
                append(partial, projection.factors[f]->axes);
    }
    sortAndMerge(partial);
    if (!partial.empty())
        (void)reduceResults(id, rule, partial, m_numbers.mesh(first));
}

/// Minimal version: a product whose result is to be sharded by just the axes that it is partial over. If it is made as
/// the operand is sharded, a compiler can scatter the sum at once.
void ReshardInserter::keepProductLocal(OperationId id)
{
    const Operation& operation = m_edit.operation(id);
    if (operation.kind != OpKind::Dot && operation.kind != OpKind::DotGeneral)
        return;
    const ValueId result = operation.results[0];
    const ShardingNumber wanted = m_numbers.of(result);
    if (!m_numbers.hasAxes(wanted))
        return;
    const FactorRule rule = factorRule(m_edit.program(), operation);
    std::vector<TensorProjection> tensors;
    std::vector<const FactorRule::TensorMapping*> mappings;
    std::vector<std::int64_t> elements;
    bool sameMesh = true;
    forTensors(rule, operation, [&](ValueId value, const FactorRule::TensorMapping& mapping) {
        const ShardingNumber number = m_numbers.of(value);
        sameMesh = sameMesh && (number == ValueNumbers::none || m_numbers.mesh(number) == m_numbers.mesh(wanted));
        tensors.push_back(number == ValueNumbers::none
                ? project(TensorSharding::fullyReplicated(mapping.size()), mapping, rule)
                : project(m_numbers.tensor(number), mapping, rule));
        mappings.push_back(&mapping);
        elements.push_back(type(value).elementCount());
    });
    if (!sameMesh || tensors.size() != 3)
        return;
    AxisList contracting, ofLhs, ofRhs;
    std::int32_t conflict = -1;
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
        const auto& lhs = tensors[0].factors[f];
        const auto& rhs = tensors[1].factors[f];
        const auto& out = tensors[2].factors[f];
        if (lhs && rhs && !(lhs->axes == rhs->axes))
            return;
        if (!out) {
            append(contracting, lhs ? lhs->axes : rhs->axes);
            continue;
        }
        const AxisList& in = lhs ? lhs->axes : rhs->axes;
        if (!lhs || !rhs)
            append(lhs ? ofLhs : ofRhs, in);
        if (in == out->axes)
            continue;
        const std::int64_t most = lhs && rhs ? std::max(elements[0], elements[1]) : lhs ? elements[0] : elements[1];
        if (in.empty() || conflict >= 0 || elements[2] > most)
            return;
        conflict = static_cast<std::int32_t>(f);
    }
    if (conflict < 0 || anyOverlap(ofLhs, ofRhs))
        return;
    const auto f = static_cast<std::size_t>(conflict);
    FactorSharding& out = *tensors[2].factors[f];
    if (out.axes.empty() || !(out.axes == contracting))
        return;
    out.axes = tensors[0].factors[f] ? tensors[0].factors[f]->axes : tensors[1].factors[f]->axes;
    const ProgramSharding before = *m_numbers.sharding(wanted);
    ProgramSharding local = before;
    local.sharding = unproject(tensors[2], *mappings[2], rule);
    setSharding(result, local);
    restore(id, result, before, { Reason::Kind::ResultReshard, id, conflict, 0 });
}

/// Operands come to that device by way of being replicated, results leave it the same way.
std::optional<Error> ReshardInserter::visitSingleDevice(OperationId id, std::uint32_t device)
{
    const std::vector<ProgramMesh>& meshes = m_edit.program().meshes;
    for (const ValueId result : m_edit.operation(id).results) {
        const ShardingNumber number = m_numbers.of(result);
        const auto only = number == ValueNumbers::none ? std::nullopt : meshes[m_numbers.mesh(number)].onlyDevice;
        if (only && only != meshes[device].onlyDevice)
            return verification::diagnosticAt(m_edit.program(), Code::MeshMismatch,
                { { "found", meshes[m_numbers.mesh(number)].name }, { "expected", meshes[device].name } },
                { .operation = id, .role = "result", .value = result });
    }
    const auto isFull = [&](const ProgramMesh& mesh) {
        return !mesh.onlyDevice && !mesh.undeclared && mesh.mesh->rank() > 0;
    };
    const auto found = std::find_if(meshes.begin(), meshes.end(), isFull);
    if (found == meshes.end())
        return {}; // there is no other device
    const auto full = static_cast<std::uint32_t>(found - meshes.begin());
    const ProgramSharding single{ device, {} };
    const auto reshard = [](const ProgramSharding& to) {
        return ShardingStep{ OpKind::Reshard, to, otherAttributes(OwnShardingAttributes{ to }) };
    };
    for (std::size_t i = 0; i < m_edit.operation(id).operands.size(); ++i) {
        const ValueId operand = m_edit.operation(id).operands[i];
        if (!isTensor(type(operand).dtype))
            continue;
        const std::optional<ProgramSharding> current = m_numbers.sharding(m_numbers.of(operand));
        if (current && current->mesh == device)
            continue;
        std::vector<ShardingStep> steps;
        if (current && !(current->mesh == full && current->sharding.isFullyReplicated()))
            steps.push_back(reshard(closedSharding(full, type(operand).rank())));
        steps.push_back(reshard(single));
        const Reason reason{ Reason::Kind::SingleDevice, id, -1, static_cast<std::int32_t>(i) };
        m_edit.setOperand(id, i, addSteps(operand, steps, reason, id, { .before = id, .end = {} }));
    }
    for (std::size_t i = 0; i < m_edit.operation(id).results.size(); ++i) {
        const ValueId result = m_edit.operation(id).results[i];
        const std::optional<ProgramSharding> current = m_numbers.sharding(m_numbers.of(result));
        if (!isTensor(type(result).dtype)) {
            setSharding(result, { full, {} });
            continue;
        }
        const UseList& uses = m_edit.uses(result);
        if (current && current->mesh == device && std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
                return use.operation.valid() && m_edit.operation(use.operation).kind == OpKind::Reshard;
            }))
            continue; // it leaves the device already
        setSharding(result, single);
        const Reason reason{ Reason::Kind::SingleDevice, id, -1, static_cast<std::int32_t>(i) };
        const ProgramSharding replicated = closedSharding(full, type(result).rank());
        const ValueId spread = restore(id, result, replicated, reason);
        if (current && current->mesh != device && !areEquivalent(&*current, &replicated))
            restore(id, spread, *current, reason);
    }
    return {};
}

} // namespace shardscope::passes

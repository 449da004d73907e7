// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/partial_axes.h"

#include <algorithm>

#include "base/codes.h"
#include "program/body.h"
#include "program/editor.h"
#include "program/known_types.h"
#include "program/op_row.h"
#include "program/partial_values.h"
#include "program/program_mesh.h"
#include "program/unreduced_axes.h"
#include "program/value_shardings.h"
#include "program/verify_findings.h"
#include "propagation/calls/call_graph.h"
#include "propagation/pass_support.h"
#include "propagation/projection.h"

namespace shardscope {

namespace {

void addAxes(AxisList& axes, const AxisList& more)
{
    for (const AxisRef axis : axesMinus(more, axes))
        axes.push_back(axis);
    passes::sortAndMerge(axes);
}

AxisList commonAxes(const AxisList& a, const AxisList& b)
{
    return axesMinus(a, axesMinus(a, b));
}

/// The axes that an all_reduce or reduce_scatter adds up over.
AxisList axesOf(const SdyCollectiveAttributes& collective)
{
    AxisList axes = collective.axes;
    for (const AxisList& list : collective.axesPerDimension)
        addAxes(axes, list);
    return axes;
}

bool isSum(OpKind kind)
{
    return kind == OpKind::SdyAllReduce || kind == OpKind::SdyReduceScatter;
}

struct ExplicitSum {
    OperationId operation;
    std::size_t body = 0; ///< number of the function
};

/// Of all functions, in program order.
std::vector<ExplicitSum> explicitSums(const Program& program)
{
    std::vector<ExplicitSum> sums;
    const std::vector<RegionId> all = bodies(program);
    for (std::size_t i = 0; i < all.size(); ++i)
        walk(program, all[i], [&](OperationId id) {
            const Operation& operation = program.operation(id);
            if (isSum(operation.kind) && attributesAs<SdyCollectiveAttributes>(operation.attributes))
                sums.push_back({ id, i });
        });
    return sums;
}

/// What is manual where an operation stands: by the computations around it, and around the call of its function.
class ManualPlaces {
public:
    explicit ManualPlaces(const Editor& edit)
        : m_edit(edit)
        , m_functions(passes::manualAxesOfFunctions(edit, passes::callGraph(edit.program())))
    {
    }
    /// Those of the axes that are not manual.
    [[nodiscard]] AxisList freeAxes(const ExplicitSum& sum, const AxisList& axes, std::uint32_t mesh) const
    {
        std::vector<std::string> manual = passes::manualAxesAround(m_edit, m_edit.regionOf(sum.operation));
        if (sum.body < m_functions.size()) // programs that are built have a main alone
            manual.insert(manual.end(), m_functions[sum.body].begin(), m_functions[sum.body].end());
        ProgramSharding sharding{ mesh, {}, ReduceKind::Sum };
        sharding.sharding.unreduced = axes;
        return withoutAxes(m_edit.program(), sharding, manual).sharding.unreduced;
    }

private:
    const Editor& m_edit;
    std::vector<std::vector<std::string>> m_functions; ///< by function
};

} // namespace

bool passesEveryDimension(const Program& program, const Operation& operation)
{
    return operation.extra == 0 && operation.results.size() == 1 && opRow(operation.kind).elementwise
        && hasKnownTypes(program, operation);
}

AxisList summedAxes(const Program& program, const Operation& operation, const FindSharding& shardingOf)
{
    AxisList axes;
    const auto isSharded = [&](ValueId operand) {
        const ProgramSharding* current = shardingOf(operand);
        return current
            && std::any_of(current->sharding.dims.begin(), current->sharding.dims.end(),
                [](const DimensionSharding& dimension) { return !dimension.axes.empty(); });
    };
    const bool onlyMoves = operation.extra == 0
        && (operation.kind == OpKind::Transpose || operation.kind == OpKind::BroadcastInDim
            || operation.kind == OpKind::Reshape);
    if (onlyMoves || passesEveryDimension(program, operation)
        || std::none_of(operation.operands.begin(), operation.operands.end(), isSharded))
        return axes;
    const FactorRule rule = factorRule(program, operation);
    if (std::none_of(rule.factors.begin(), rule.factors.end(),
            [](const FactorRule::Factor& factor) { return factor.kind == FactorKind::Reduction; }))
        return axes;
    for (std::size_t i = 0; i < std::min<std::size_t>(operation.operands.size(), rule.operands.size()); ++i) {
        const ProgramSharding* current = shardingOf(operation.operands[i]);
        if (!current || current->sharding.rank() != rule.operands[i].size())
            continue;
        const TensorProjection projection = project(current->sharding, rule.operands[i], rule);
        for (std::size_t f = 0; f < rule.factors.size(); ++f)
            if (rule.factors[f].kind == FactorKind::Reduction && projection.factors[f])
                addAxes(axes, projection.factors[f]->axes);
    }
    return axes;
}

PartialAxes::PartialAxes(const Program& program)
    : m_program(program)
    , m_parts(program.values.size())
{
    const auto shardings = std::make_shared<const ValueShardings>(program);
    m_shardingOf = [shardings](ValueId value) { return shardings->of(value); };
    for (std::size_t v = 0; v < program.values.size(); ++v)
        if (const ProgramSharding* declared = shardings->of(ValueId(v)))
            m_parts[v] = { declared->sharding.unreduced, declared->unreducedKind };
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) { visit(program.operation(id)); });
}

void PartialAxes::visit(const Operation& operation)
{
    if (operation.operands.empty() || operation.results.empty())
        return;
    const Parts made = partsOfResult(operation);
    if (made.axes.empty())
        return;
    for (const ValueId result : operation.results) {
        Parts& parts = m_parts[result.index];
        if (parts.axes.empty())
            parts.kind = made.kind;
        addAxes(parts.axes, made.axes);
    }
}

/// Beside what the result's own sharding says.
PartialAxes::Parts PartialAxes::partsOfResult(const Operation& operation) const
{
    Parts made = of(operation.operands[0]);
    if (isShardyCollective(operation.kind)) {
        const auto* collective = attributesAs<SdyCollectiveAttributes>(operation.attributes);
        if (collective && isSum(operation.kind))
            made.axes = axesMinus(made.axes, axesOf(*collective));
        return made;
    }
    switch (operation.kind) {
    case OpKind::Reshard:
    case OpKind::ShardingConstraint:
    case OpKind::DataFlowEdge:
    case OpKind::FuncDataFlowEdge:
    case OpKind::PropagationBarrier:
        return made;
    default:
        break;
    }
    if (passesPartsThrough(operation.kind))
        return {}; // what goes through bodies has shardings that say so
    made = { summedAxes(m_program, operation, m_shardingOf),
        reductionOf(m_program, operation).value_or(ReduceKind::Sum) };
    Parts specified;
    for (const ValueId operand : operation.operands)
        if (!of(operand).axes.empty()) {
            specified.kind = of(operand).kind;
            addAxes(specified.axes, of(operand).axes);
        }
    if (made.axes.empty())
        made.kind = specified.kind;
    for (const AxisRef axis : specified.axes) {
        SmallVector<bool, 4> isPartial;
        for (const ValueId operand : operation.operands)
            isPartial.push_back(std::any_of(of(operand).axes.begin(), of(operand).axes.end(),
                [&](AxisRef other) { return overlaps(axis, other); }));
        if (specified.kind == made.kind
            && keepsParts(m_program, operation, { isPartial.data(), isPartial.size() }, specified.kind))
            addAxes(made.axes, { axis });
    }
    return made;
}

Result<void> checkExplicitSums(const Program& program)
{
    const std::vector<ExplicitSum> sums = explicitSums(program);
    if (sums.empty())
        return {};
    const PartialAxes parts(program);
    const Editor edit(program);
    const ManualPlaces places(edit);
    for (const ExplicitSum& sum : sums) {
        const OperationId id = sum.operation;
        const Operation& operation = program.operation(id);
        const auto& collective = *attributesAs<SdyCollectiveAttributes>(operation.attributes);
        const PartialAxes::Parts& operand = parts.of(operation.operands[0]);
        const AxisList axes = places.freeAxes(sum, axesOf(collective), collective.out.mesh);
        const AxisList missing = axesMinus(axes, operand.axes);
        const bool otherKind = missing.empty() && !axes.empty() && operand.kind != collective.kind;
        if (missing.empty() && !otherKind)
            continue;
        const AxisList& named = otherKind ? axes : missing;
        return tl::unexpected<Error>(verification::diagnosticAt(program, Code::NotExecutable,
            { { "wrong", otherKind ? "other_kind" : "whole_operand" },
                { "axes", verification::axesText(program.meshes[collective.out.mesh], { named.data(), named.size() }) },
                { "found", reduceKindName(operand.kind) }, { "expected", reduceKindName(collective.kind) } },
            { .operation = id, .role = "operand", .value = operation.operands[0] }));
    }
    return {};
}

Program dropFinishedSums(Program program)
{
    const std::vector<ExplicitSum> sums = explicitSums(program);
    if (sums.empty())
        return program;
    const PartialAxes parts(program);
    std::vector<AxisList> left; // to be added up
    for (const ExplicitSum& sum : sums) {
        const Operation& operation = program.operation(sum.operation);
        left.push_back(commonAxes(axesOf(*attributesAs<SdyCollectiveAttributes>(operation.attributes)),
            parts.of(operation.operands[0]).axes));
    }
    const auto isNeeded = [&](std::size_t i) {
        return axesMinus(
            axesOf(*attributesAs<SdyCollectiveAttributes>(program.operation(sums[i].operation).attributes)), left[i])
            .empty();
    };
    bool areNeeded = true;
    for (std::size_t i = 0; i < sums.size(); ++i)
        areNeeded = areNeeded && isNeeded(i);
    if (areNeeded)
        return program;
    Editor edit(std::move(program));
    const ManualPlaces places(edit);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const OperationId id = sums[i].operation;
        SdyCollectiveAttributes collective = *attributesAs<SdyCollectiveAttributes>(edit.operation(id).attributes);
        const AxisList all = axesOf(collective), free = places.freeAxes(sums[i], all, collective.out.mesh);
        addAxes(left[i], axesMinus(all, free)); // parts along manual axes are added up
        if (axesMinus(all, left[i]).empty())
            continue;
        if (edit.operation(id).kind == OpKind::SdyAllReduce) {
            if (left[i].empty()) {
                edit.replaceUses(edit.result(id), edit.operation(id).operands[0]);
                edit.erase(id);
                continue;
            }
            collective.axes = left[i];
            edit.raw().operations[id.index].attributes = otherAttributes(std::move(collective));
            continue;
        }
        const ValueId operand = edit.operation(id).operands[0];
        if (!left[i].empty()) {
            const ProgramSharding* current = passes::shardingAnywhere(edit, operand);
            SdyCollectiveAttributes sum;
            sum.axes = left[i];
            sum.kind = collective.kind;
            sum.out = current ? *current : passes::closedSharding(collective.out.mesh, collective.out.sharding.rank());
            sum.out.sharding.unreduced = axesMinus(sum.out.sharding.unreduced, left[i]);
            const OperationId made = edit.addLike(OpKind::SdyAllReduce, { operand }, otherAttributes(std::move(sum)));
            edit.placeBefore(id, made);
            edit.setOperand(id, 0, edit.result(made));
        }
        edit.raw().operations[id.index].kind = OpKind::SdyAllSlice;
    }
    return std::move(edit).finish();
}

} // namespace shardscope

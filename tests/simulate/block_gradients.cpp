// SPDX-License-Identifier: GPL-3.0-or-later
// Reverse mode through programs over blocks. Every value has a cotangent that varies over no more axes than the value
// itself: where an operation makes one that does, the devices along the further axes add it up.
#include <memory>

#include "base/codes.h"
#include "program/body.h"
#include "program/builder.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "simulate/block_program.h"

namespace shardscope {

namespace {

/// Whether a value is one of `inputs` or computed from one by way of floating-point values.
std::vector<bool> dependentOn(const Program& program, std::span<const ValueId> inputs)
{
    std::vector<bool> dependent(program.values.size());
    for (const ValueId value : inputs)
        dependent[value.index] = true;
    for (const OperationId id : program.main().operations) {
        const Operation& operation = program.operation(id);
        for (const ValueId operand : operation.operands)
            if (dependent[operand.index])
                for (const ValueId result : operation.results)
                    dependent[result.index] = dependent[result.index] || isFloat(program.value(result).type.dtype);
    }
    return dependent;
}

tl::unexpected<Error> noDerivative(std::string_view operation)
{
    return fail(Code::InvalidOperand, { { "op", operation }, { "detail", "no derivative" } });
}

} // namespace

Result<ValueId> BlockBuilder::transposed(const Operation& operation, ValueId cotangent)
{
    CollectiveAttributes own = *attributesAs<CollectiveAttributes>(operation.attributes);
    const TensorType wanted = type(operation.operands[0]);
    switch (operation.kind) {
    case OpKind::AllReduce:
        if (reductionOf(m_program, operation) != ReduceKind::Sum)
            return noDerivative(opRow(operation.kind).name);
        // Of all devices along axes: each counts once in the one sum. Of groups that are no axes: in that of its group.
        if (const GroupAxes groups = axesOfGroups(own, *m_mesh, OpKind::AllReduce); groups.full && groups.unlike == 0)
            return cotangent;
        return addReduction(OpKind::AllReduce, cotangent, wanted, operation.attributes, ReduceKind::Sum);
    case OpKind::AllGather:
        return addReduction(OpKind::ReduceScatter, cotangent, wanted, operation.attributes, ReduceKind::Sum);
    case OpKind::ReduceScatter:
        return add(OpKind::AllGather, { cotangent }, wanted, operation.attributes);
    case OpKind::AllToAll:
        std::swap(own.dimension, own.concatDimension);
        return add(OpKind::AllToAll, { cotangent }, wanted, otherAttributes(std::move(own)));
    case OpKind::CollectivePermute:
        for (std::vector<std::int64_t>& pair : own.groups)
            std::swap(pair[0], pair[1]);
        return add(OpKind::CollectivePermute, { cotangent }, wanted, otherAttributes(std::move(own)));
    default:
        return noDerivative(opRow(operation.kind).name);
    }
}

Result<std::vector<ValueId>> BlockBuilder::gradients(
    ValueId result, const PartitionSpec& spec, std::span<const ValueId> inputs)
{
    if (auto valid = validate(spec, *m_mesh); !valid)
        return tl::unexpected(valid.error());
    const TensorType resultType = type(result);
    if (!isFloat(resultType.dtype) || spec.size() > resultType.rank())
        return fail(
            Code::InvalidOperand, { { "op", "differentiate" }, { "detail", "result " + toString(resultType) } });
    AxisSet mentioned = 0;
    for (const SpecEntry& entry : spec.entries)
        for (const std::string& axis : entry.axes)
            mentioned |= AxisSet{ 1 } << *m_mesh->axisIndex(axis);
    const VaryingAxes varying = varyingAxes(m_program, RegionId{ 0 }, *m_mesh, m_arguments);
    if (auto fits = checkReplication(m_program, varying, *m_mesh, result, mentioned, 0); !fits)
        return tl::unexpected(fits.error());

    const std::vector<bool> dependent = dependentOn(m_program, inputs);
    const std::vector<OperationId> operations = m_program.main().operations;
    std::vector<ValueId> cotangents(dependent.size());
    const auto give = [&](ValueId to, ValueId contribution, AxisSet varies) {
        Axes summed;
        for (std::size_t axis = 0; axis < m_mesh->rank(); ++axis)
            if ((varies & ~varying.values[to.index]) >> axis & 1U)
                summed.push_back(m_mesh->axis(axis).name);
        if (!summed.empty())
            contribution = *reduce(ReduceKind::Sum, contribution, summed);
        ValueId& sum = cotangents[to.index];
        sum = sum.valid() ? binary(OpKind::Add, sum, contribution) : contribution;
    };
    if (dependent[result.index])
        give(result, constant(resultType, { 1 }), mentioned);

    for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
        const Operation operation = m_program.operation(*id); // a copy: the program grows
        const ValueId made = operation.results[0];
        if (!cotangents[made.index].valid())
            continue;
        const std::size_t count = operation.operands.size();
        const auto wanted = std::make_unique<bool[]>(count); // std::vector<bool> has no span
        bool any = false;
        for (std::size_t i = 0; i < count; ++i)
            any |= wanted[i] = dependent[operation.operands[i].index] && isFloat(type(operation.operands[i]).dtype);
        if (!any)
            continue;
        if (const auto* own = attributesAs<CollectiveAttributes>(operation.attributes)) {
            const GroupAxes groups = axesOfGroups(*own, *m_mesh, operation.kind);
            const ValueId operand = operation.operands[0];
            const Result<ValueId> back = transposed(operation, cotangents[made.index]);
            if (!back)
                return tl::unexpected(back.error());
            give(operand, *back, varying.values[operand.index] | groups.axes);
            continue;
        }
        const OpRow& row = opRow(operation.kind);
        if (!hasDerivative(m_program, operation))
            return noDerivative(row.name);
        Builder local(std::move(m_program));
        const std::vector<ValueId> contributions =
            row.pullback(local, operation, std::span(&cotangents[made.index], 1), { wanted.get(), count });
        m_program = std::move(local).finish();
        for (std::size_t i = 0; i < contributions.size(); ++i)
            if (contributions[i].valid())
                give(operation.operands[i], contributions[i], varying.values[made.index]);
    }

    std::vector<ValueId> gradients;
    for (const ValueId input : inputs) {
        const ValueId gradient = cotangents[input.index];
        gradients.push_back(gradient.valid() ? gradient : constant(type(input), { 0 }));
    }
    return gradients;
}

} // namespace shardscope

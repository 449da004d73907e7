// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/differentiate.h"

#include <memory>

#include "base/codes.h"
#include "program/op_row.h"

namespace shardscope {

namespace {

/// dependent[value]: whether the value is one of `wrt` or computed from one by way of floating-point values none of
/// which is taken for a constant.
std::vector<bool> dependentOn(const Program& program, std::span<const ValueId> wrt)
{
    std::vector<bool> dependent(program.values.size());
    for (const ValueId value : wrt)
        dependent[value.index] = true;
    for (const OperationId id : program.main().operations) {
        const Operation& operation = program.operation(id);
        for (const ValueId result : operation.results) {
            const Value& value = program.value(result);
            if (!isFloat(value.type.dtype) || value.role == Role::Constant)
                continue;
            for (const ValueId operand : operation.operands)
                dependent[result.index] = dependent[result.index] || dependent[operand.index];
        }
    }
    return dependent;
}

} // namespace

Result<std::vector<ValueId>> differentiate(Builder& builder, ValueId loss, std::span<const ValueId> wrt)
{
    const TensorType lossType = builder.type(loss);
    if (!isFloat(lossType.dtype) || lossType.rank() != 0)
        return fail(Code::InvalidOperand, { { "op", "differentiate" }, { "detail", "loss " + toString(lossType) } });

    const std::vector<bool> dependent = dependentOn(builder.program(), wrt);
    const std::vector<OperationId> operations = builder.program().main().operations;
    const std::string scope = builder.scope();
    std::vector<ValueId> cotangents(dependent.size());

    for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
        const Operation operation = builder.program().operation(*id); // a copy: the builder grows
        std::vector<ValueId> own;
        bool reached = false;
        for (const ValueId result : operation.results) {
            if (result == loss && dependent[loss.index]) {
                builder.setScope(backwardScopeOf(builder.program().scopes[operation.scope]));
                cotangents[loss.index] = builder.constant(lossType, 1);
            }
            own.push_back(dependent[result.index] ? cotangents[result.index] : ValueId());
            reached = reached || own.back().valid();
        }
        if (!reached)
            continue;
        const std::size_t count = operation.operands.size();
        const auto wanted = std::make_unique<bool[]>(count); // std::vector<bool> has no span
        bool any = false;
        for (std::size_t i = 0; i < count; ++i) {
            const ValueId operand = operation.operands[i];
            wanted[i] = dependent[operand.index] && isFloat(builder.type(operand).dtype);
            any = any || wanted[i];
        }
        if (!any)
            continue;
        if (!hasDerivative(builder.program(), operation)) {
            builder.setScope(scope);
            return fail(Code::InvalidOperand, { { "op", opRow(operation.kind).name }, { "detail", "no derivative" } });
        }
        builder.setScope(backwardScopeOf(builder.program().scopes[operation.scope]));
        const std::vector<ValueId> contributions =
            opRow(operation.kind).pullback(builder, operation, own, { wanted.get(), count });
        for (std::size_t i = 0; i < contributions.size(); ++i) {
            if (!contributions[i].valid())
                continue;
            ValueId& sum = cotangents[operation.operands[i].index];
            sum = sum.valid() ? builder.binary(OpKind::Add, sum, contributions[i]) : contributions[i];
        }
    }

    std::vector<ValueId> gradients;
    for (const ValueId value : wrt) {
        ValueId gradient = cotangents[value.index];
        if (!gradient.valid()) {
            builder.setScope(std::string(backwardScope));
            const TensorType type = builder.type(value);
            gradient = builder.constant(type, value == loss ? 1 : 0);
        }
        gradients.push_back(gradient);
    }
    builder.setScope(scope);
    return gradients;
}

std::string backwardScopeOf(std::string_view scope)
{
    std::string of(backwardScope);
    return scope.empty() ? of : of.append("/").append(scope);
}

} // namespace shardscope

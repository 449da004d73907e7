// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/differentiate.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/codes.h"
#include "program/known_types.h"
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

/// From `cotangent` of the value `of`; an invalid one is 1.
Result<BackwardPass> backwardPass(Builder& builder, ValueId of, ValueId cotangent, std::span<const ValueId> wrt,
    const std::vector<std::int32_t>& regionOf)
{
    const std::vector<bool> dependent = dependentOn(builder.program(), wrt);
    const std::vector<OperationId> operations = builder.program().main().operations;
    const std::string scope = builder.scope();
    std::vector<ValueId> cotangents(dependent.size());
    if (cotangent.valid())
        cotangents[of.index] = cotangent;
    BackwardPass pass;
    pass.first = builder.program().operations.size();
    pass.cotangent = cotangent;

    for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
        const Operation operation = builder.program().operation(*id); // a copy: the builder grows
        const ValueId result = operation.results[0];
        if (result == of && dependent[of.index] && !cotangent.valid()) {
            builder.setScope(backwardScopeOf(builder.program().scopes[operation.scope]));
            const TensorType type = builder.type(of);
            cotangents[of.index] = builder.constant(type, 1);
        }
        if (!dependent[result.index] || !cotangents[result.index].valid())
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
        const OpRow& row = opRow(operation.kind);
        if (!row.pullback || (!row.anyType && !hasKnownTypes(builder.program(), operation))) {
            builder.setScope(scope);
            return fail(Code::InvalidOperand, { { "op", row.name }, { "detail", "no derivative" } });
        }
        builder.setScope(backwardScopeOf(builder.program().scopes[operation.scope]));
        const std::vector<ValueId> contributions =
            row.pullback(builder, operation, cotangents[result.index], { wanted.get(), count });
        for (std::size_t i = 0; i < contributions.size(); ++i) {
            if (!contributions[i].valid())
                continue;
            ValueId& sum = cotangents[operation.operands[i].index];
            sum = sum.valid() ? builder.binary(OpKind::Add, sum, contributions[i]) : contributions[i];
        }
        pass.regions.resize(builder.program().operations.size() - pass.first, regionOf[id->index]);
    }

    for (const ValueId value : wrt) {
        ValueId gradient = cotangents[value.index];
        if (!gradient.valid()) {
            builder.setScope(std::string(backwardScope));
            const TensorType type = builder.type(value);
            gradient = builder.constant(type, value == of ? 1 : 0);
        }
        pass.gradients.push_back(gradient);
    }
    pass.regions.resize(builder.program().operations.size() - pass.first, -1);
    builder.setScope(scope);
    return pass;
}

Result<std::vector<ValueId>> gradientsWith(
    Builder& builder, ValueId of, ValueId cotangent, std::span<const ValueId> wrt, std::span<const RematRegion> regions)
{
    const std::vector<std::int32_t> regionOf = regionsOf(builder.program(), regions);
    SHARDSCOPE_TRY(pass, backwardPass(builder, of, cotangent, wrt, regionOf));
    const bool any = std::any_of(pass->regions.begin(), pass->regions.end(), [](std::int32_t r) { return r >= 0; });
    return any ? rematerialise(builder, std::move(*pass), regions) : std::move(pass->gradients);
}

tl::unexpected<Error> wrongOperand(std::string detail)
{
    return fail(Code::InvalidOperand, { { "op", "differentiate" }, { "detail", std::move(detail) } });
}

} // namespace

Result<std::vector<ValueId>> differentiate(
    Builder& builder, ValueId loss, std::span<const ValueId> wrt, std::span<const RematRegion> regions)
{
    const TensorType& type = builder.type(loss);
    if (!isFloat(type.dtype) || type.rank() != 0)
        return wrongOperand("loss " + toString(type));
    return gradientsWith(builder, loss, {}, wrt, regions);
}

Result<std::vector<ValueId>> pullBack(
    Builder& builder, ValueId of, ValueId cotangent, std::span<const ValueId> wrt, std::span<const RematRegion> regions)
{
    const TensorType& type = builder.type(of);
    if (!isFloat(type.dtype) || !(type == builder.type(cotangent)))
        return wrongOperand("cotangent " + toString(builder.type(cotangent)) + " of " + toString(type));
    return gradientsWith(builder, of, cotangent, wrt, regions);
}

std::string backwardScopeOf(std::string_view scope)
{
    std::string of(backwardScope);
    return scope.empty() ? of : of.append("/").append(scope);
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/differentiate.h"

#include "base/codes.h"
#include "program/pull_back.h"

namespace shardscope {

namespace {

/// So that values reach the bodies of loops through what the loops carry alone. Inner loops first.
void carryEverything(Builder& builder, const std::vector<OperationId>& operations)
{
    for (const OperationId id : operations) {
        const Operation operation = builder.program().operation(id); // a copy: the builder grows
        if (operation.kind != OpKind::While)
            continue;
        for (const RegionId region : operation.regions)
            carryEverything(builder, std::vector<OperationId>(builder.program().regions[region.index].operations));
        builder.carryOutside(id);
    }
}

tl::unexpected<Error> wrongOperand(std::string detail)
{
    return fail(Code::InvalidOperand, { { "op", "differentiate" }, { "detail", std::move(detail) } });
}

/// From `cotangent` of `of`; an invalid one is 1.
Result<std::vector<ValueId>> gradientsFrom(
    Builder& builder, ValueId of, ValueId cotangent, std::span<const ValueId> wrt, const DifferentiateOptions& options)
{
    const std::vector<OperationId> operations = builder.program().main().operations;
    const std::vector<std::int32_t> regionOf = regionsOf(builder.program(), options.regions);
    carryEverything(builder, operations);
    ValueFlags dependent(builder.program().values.size());
    for (const ValueId value : wrt)
        dependent[value.index] = true;
    addDependent(builder.program(), operations, dependent);

    const std::string scope = builder.scope();
    DerivativeOrigins origins{ builder.program().operations.size(), {} };
    CotangentMap cotangents;
    const OperationId made = builder.program().value(of).definition;
    if (cotangent.valid()) {
        cotangents[of] = cotangent;
    } else if (made.valid() && dependent[of.index]) {
        builder.setScope(backwardScopeOf(builder.program().scopes[builder.program().operation(made).scope]));
        const TensorType type = builder.type(of);
        cotangents[of] = builder.constant(type, 1);
    }
    if (Result<void> done = pullBack(builder, RegionId(std::size_t{ 0 }), dependent, options, cotangents, &origins);
        !done) {
        builder.setScope(scope);
        return tl::unexpected(done.error());
    }
    if (!options.regions.empty() && !operations.empty())
        rematerialise(builder, { operations.back(), std::move(origins), cotangent }, options.regions, regionOf);

    std::vector<ValueId> gradients;
    for (const ValueId value : wrt) {
        ValueId gradient = cotangents[value];
        if (!gradient.valid()) {
            builder.setScope(std::string(backwardScope));
            const TensorType type = builder.type(value);
            gradient = builder.constant(type, value == of ? 1 : 0);
        }
        gradients.push_back(gradient);
    }
    builder.setScope(scope);
    return gradients;
}

} // namespace

Result<std::vector<ValueId>> differentiate(
    Builder& builder, ValueId loss, std::span<const ValueId> wrt, const DifferentiateOptions& options)
{
    const TensorType& type = builder.type(loss);
    if (!isFloat(type.dtype) || type.rank() != 0)
        return wrongOperand("loss " + toString(type));
    return gradientsFrom(builder, loss, {}, wrt, options);
}

Result<std::vector<ValueId>> differentiateFrom(
    Builder& builder, ValueId of, ValueId cotangent, std::span<const ValueId> wrt, const DifferentiateOptions& options)
{
    const TensorType& type = builder.type(of);
    if (!isFloat(type.dtype) || type != builder.type(cotangent))
        return wrongOperand("cotangent " + toString(builder.type(cotangent)) + " of " + toString(type));
    return gradientsFrom(builder, of, cotangent, wrt, options);
}

std::string backwardScopeOf(std::string_view scope)
{
    std::string of(backwardScope);
    return scope.empty() ? of : of.append("/").append(scope);
}

} // namespace shardscope

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

} // namespace

Result<std::vector<ValueId>> differentiate(
    Builder& builder, ValueId loss, std::span<const ValueId> wrt, const DifferentiateOptions& options)
{
    const TensorType lossType = builder.type(loss);
    if (!isFloat(lossType.dtype) || lossType.rank() != 0)
        return fail(Code::InvalidOperand, { { "op", "differentiate" }, { "detail", "loss " + toString(lossType) } });

    const std::vector<OperationId> operations = builder.program().main().operations;
    carryEverything(builder, operations);
    ValueFlags dependent(builder.program().values.size());
    for (const ValueId value : wrt)
        dependent[value.index] = true;
    addDependent(builder.program(), operations, dependent);

    const std::string scope = builder.scope();
    CotangentMap cotangents;
    if (const OperationId made = builder.program().value(loss).definition; made.valid() && dependent[loss.index]) {
        builder.setScope(backwardScopeOf(builder.program().scopes[builder.program().operation(made).scope]));
        cotangents[loss] = builder.constant(lossType, 1);
    }
    if (Result<void> done = pullBack(builder, RegionId(std::size_t{ 0 }), dependent, options, cotangents); !done) {
        builder.setScope(scope);
        return tl::unexpected(done.error());
    }

    std::vector<ValueId> gradients;
    for (const ValueId value : wrt) {
        ValueId gradient = cotangents[value];
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

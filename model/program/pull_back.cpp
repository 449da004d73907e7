// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/pull_back.h"

#include <algorithm>
#include <memory>

#include "base/codes.h"
#include "program/op_row.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

ValueId cotangentOf(const CotangentMap& cotangents, ValueId value)
{
    const auto found = cotangents.find(value);
    return found == cotangents.end() ? ValueId() : found->second;
}

/// Of a slice of something that has a cotangent already: adds to the part alone, as loops do that read an array slice
/// by slice.
ValueId addedInPlace(Builder& b, const Operation& slice, ValueId sum, ValueId cotangent)
{
    const std::span<const ValueId> starts(slice.operands.data() + 1, slice.operands.size() - 1);
    const ValueId part = b.dynamicSlice(sum, starts, attributesAs<DynamicSliceAttributes>(slice.attributes)->sizes);
    return b.dynamicUpdateSlice(sum, b.binary(OpKind::Add, part, cotangent), starts);
}

} // namespace

void addCotangent(Builder& builder, CotangentMap& cotangents, ValueId value, ValueId contribution)
{
    if (!contribution.valid())
        return;
    ValueId& sum = cotangents[value];
    sum = sum.valid() ? builder.binary(OpKind::Add, sum, contribution) : contribution;
}

namespace {

/// The cotangents of one operation's operands, from those of its results.
Result<void> pullBackOperation(Builder& builder, RegionId region, OperationId id, const ValueFlags& dependent,
    const DifferentiateOptions& options, CotangentMap& cotangents)
{
    const Operation operation = builder.program().operation(id); // a copy: the builder grows
    std::vector<ValueId> own;
    for (const ValueId result : operation.results)
        own.push_back(has(dependent, result) ? cotangentOf(cotangents, result) : ValueId());
    if (std::none_of(own.begin(), own.end(), [](ValueId cotangent) { return cotangent.valid(); }))
        return {};
    const std::size_t count = operation.operands.size();
    const auto wanted = std::make_unique<bool[]>(count); // std::vector<bool> has no span
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
        const ValueId operand = operation.operands[i];
        wanted[i] = has(dependent, operand) && isFloat(builder.type(operand).dtype);
        any = any || wanted[i];
    }
    const bool isLoop = operation.kind == OpKind::While;
    if (!any && (operation.regions.empty() || isLoop))
        return {};
    if (!any || (!isLoop && !hasDerivative(builder.program(), operation)))
        return fail(Code::InvalidOperand, { { "op", opRow(operation.kind).name }, { "detail", "no derivative" } });
    builder.setScope(backwardScopeOf(builder.program().scopes[operation.scope]));
    if (isLoop) {
        SHARDSCOPE_TRY(pulled, pullBackLoop(builder, id, region, own, dependent, options));
        for (std::size_t i = 0; i < count; ++i)
            if (wanted[i])
                addCotangent(builder, cotangents, operation.operands[i], (*pulled)[i]);
        return {};
    }
    if (operation.kind == OpKind::DynamicSlice)
        if (const ValueId sum = cotangentOf(cotangents, operation.operands[0]); sum.valid()) {
            cotangents[operation.operands[0]] = addedInPlace(builder, operation, sum, own[0]);
            return {};
        }
    const std::vector<ValueId> contributions =
        opRow(operation.kind).pullback(builder, operation, own, { wanted.get(), count });
    for (std::size_t i = 0; i < contributions.size(); ++i)
        addCotangent(builder, cotangents, operation.operands[i], contributions[i]);
    return {};
}

} // namespace

Result<void> pullBack(Builder& builder, RegionId region, const ValueFlags& dependent,
    const DifferentiateOptions& options, CotangentMap& cotangents, DerivativeOrigins* origins)
{
    const std::vector<OperationId> operations = builder.program().regions[region.index].operations; // a copy, likewise
    for (auto id = operations.rbegin(); id != operations.rend(); ++id) {
        SHARDSCOPE_CHECK(pullBackOperation(builder, region, *id, dependent, options, cotangents));
        if (origins)
            origins->of.resize(builder.program().operations.size() - origins->first, *id);
    }
    return {};
}

} // namespace shardscope

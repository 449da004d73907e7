// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/explicit_rules.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "program/element_updates.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "sharding/sharding_edit.h"

namespace shardscope {

namespace {

using Outcome = std::optional<ExplicitOutcome>;
using Operands = std::span<const ExplicitArray>;

/// A result that lies like this.
ExplicitOutcome specified(Shape shape, TensorSharding sharding)
{
    ExplicitOutcome outcome;
    outcome.shape = std::move(shape);
    outcome.sharding = std::move(sharding);
    return outcome;
}

/// -1 is the last one.
std::size_t dimensionFromFront(std::int64_t dimension, std::size_t rank)
{
    return static_cast<std::size_t>(dimension < 0 ? dimension + static_cast<std::int64_t>(rank) : dimension);
}

const AxisList& axesOf(const ExplicitArray& array, std::size_t dimension)
{
    return array.sharding.dims[dimension].axes;
}

Outcome ofBroadcast(const Operation& operation, const ExplicitArray& operand, const Shape& shape)
{
    const Dimensions& dimensions = std::get<BroadcastAttributes>(operation.attributes).dimensions;
    TensorSharding sharding = TensorSharding::fullyReplicated(shape.size());
    for (std::size_t d = 0; d < operand.shape.size(); ++d) {
        const auto to = static_cast<std::size_t>(dimensions[d]);
        if (operand.shape[d] == shape[to]) // one of size 1 that is spread is a new dimension
            sharding.dims[to].axes = axesOf(operand, d);
    }
    return specified(shape, std::move(sharding));
}

Outcome ofTranspose(const Operation& operation, const ExplicitArray& operand, const Shape& shape)
{
    const Dimensions& permutation = std::get<TransposeAttributes>(operation.attributes).permutation;
    TensorSharding sharding = TensorSharding::fullyReplicated(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d)
        sharding.dims[d].axes = axesOf(operand, static_cast<std::size_t>(permutation[d]));
    return specified(shape, std::move(sharding));
}

/// A result that is sharded as the operand, though it is longer or shorter: what is sharded has to divide.
ExplicitOutcome ofOtherSize(const ExplicitArray& operand, const Shape& shape, ExplicitProblem problem)
{
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] != operand.shape[d] && shape[d] % product(axesOf(operand, d)) != 0)
            return explicitlyRefused(problem, d, 0);
    return specified(shape, operand.sharding);
}

/// The first of these that is sharded otherwise than one of them; nothing where all are alike.
std::optional<ExplicitOutcome> whereDifferent(Operands operands, std::span<const std::size_t> which)
{
    for (const std::size_t other : which) {
        const ExplicitArray& first = operands[which[0]];
        for (std::size_t d = 0; d < first.sharding.rank(); ++d)
            if (!(axesOf(first, d) == axesOf(operands[other], d)))
                return explicitlyRefused(ExplicitProblem::OperandsDiffer, d, static_cast<std::int32_t>(which[0]),
                    static_cast<std::int32_t>(other));
    }
    return std::nullopt;
}

/// Parts that are all sharded alike; what they are joined along may be sharded, too.
Outcome ofConcatenate(Operands operands, const Shape& shape)
{
    std::vector<std::size_t> all(operands.size());
    std::iota(all.begin(), all.end(), std::size_t{ 0 });
    if (Outcome different = whereDifferent(operands, all))
        return different;
    return specified(shape, operands[0].sharding);
}

/// Both cases are sharded alike. One that says nothing of single elements takes the sharding of the other, as jnp.where
/// gives it that.
Outcome ofSelect(const Program& program, const Operation& operation, Operands operands)
{
    std::vector<std::size_t> cases;
    for (std::size_t o = 1; o < operands.size(); ++o)
        if (!isSpread(program, operation.operands[o]))
            cases.push_back(o);
    if (Outcome different = whereDifferent(operands, cases))
        return different;
    return explicitElementwise(operands);
}

/// Along a dimension that is not sharded, of arrays that are sharded alike.
Outcome ofSort(Operands operands, std::size_t along, const Shape& shape)
{
    for (std::size_t o = 0; o < operands.size(); ++o)
        if (!axesOf(operands[o], along).empty())
            return explicitlyRefused(ExplicitProblem::SortedSharded, along, static_cast<std::int32_t>(o));
        else if (!operands[o].sharding.isEquivalent(operands[0].sharding))
            return std::nullopt;
    return specified(shape, operands[0].sharding);
}

/// Sums, maxima, ... of all that stands before (or after): a window over the whole of one dimension, padded on one
/// side.
std::optional<std::size_t> addedUpAlong(const Operation& operation, const Shape& shape)
{
    const auto* window = attributesAs<WindowAttributes>(operation.attributes);
    std::optional<std::size_t> along;
    for (std::size_t d = 0; window && d < shape.size(); ++d) {
        const std::int64_t size = entryOr(window->dimensions, d, 1);
        const auto [low, high] =
            d < window->padding.size() ? window->padding[d] : std::pair<std::int64_t, std::int64_t>();
        if (entryOr(window->strides, d, 1) != 1 || entryOr(window->baseDilations, d, 1) != 1
            || entryOr(window->windowDilations, d, 1) != 1)
            return std::nullopt;
        if (size == 1 && low == 0 && high == 0)
            continue;
        const bool oneSide = (low == size - 1 && high == 0) || (low == 0 && high == size - 1);
        if (along || size != shape[d] || !oneSide)
            return std::nullopt;
        along = d;
    }
    return along;
}

Outcome ofWindow(const Operation& operation, Operands operands, const Shape& shape)
{
    if (operands.size() != 2 || !(operands[0].shape == shape))
        return std::nullopt;
    const std::optional<std::size_t> along = addedUpAlong(operation, shape);
    if (!along)
        return std::nullopt;
    if (!axesOf(operands[0], *along).empty())
        return explicitlyRefused(ExplicitProblem::AddedUpSharded, *along, 0);
    return specified(shape, operands[0].sharding);
}

/// The dimension of the operand that each dimension of the result runs along; -1: places that are taken.
std::vector<std::int64_t> takenAlong(const GatherAttributes& gather, const Shape& operand, std::size_t rank)
{
    std::vector<std::int64_t> along(rank, -1);
    std::size_t next = 0;
    for (std::size_t d = 0; d < operand.size(); ++d) {
        const auto isIn = [&](const DimensionList& list) {
            return std::find(list->begin(), list->end(), static_cast<std::int64_t>(d)) != list->end();
        };
        if (!isIn(gather.collapsedSliceDims) && !isIn(gather.operandBatchingDims) && next < gather.offsetDims->size())
            along[static_cast<std::size_t>((*gather.offsetDims)[next++])] = static_cast<std::int64_t>(d);
    }
    return along;
}

/// Slices keep the sharding of the dimensions that they have in full; where they are taken nothing is sharded.
Outcome ofGather(const Operation& operation, Operands operands, const Shape& shape, const TensorSharding* wanted)
{
    const auto* gather = attributesAs<GatherAttributes>(operation.attributes);
    if (!gather || operands.size() < 2)
        return std::nullopt;
    if (wanted)
        return specified(shape, *wanted);
    const ExplicitArray& from = operands[0];
    TensorSharding sharding = TensorSharding::fullyReplicated(shape.size());
    const std::vector<std::int64_t> along = takenAlong(*gather, from.shape, shape.size());
    bool isPart = false;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (along[d] >= 0) {
            sharding.dims[d].axes = axesOf(from, static_cast<std::size_t>(along[d]));
            isPart = isPart
                || (shape[d] != from.shape[static_cast<std::size_t>(along[d])] && !sharding.dims[d].axes.empty());
        }
    for (std::size_t d = 0; d < operands[1].shape.size(); ++d)
        for (const AxisRef& axis : axesOf(operands[1], d))
            for (const DimensionSharding& own : sharding.dims)
                if (std::any_of(
                        own.axes.begin(), own.axes.end(), [&](const AxisRef& each) { return overlaps(each, axis); }))
                    return explicitlyRefused(ExplicitProblem::AxisTwice, d, 0, 1);
    for (const std::int64_t d : *gather->startIndexMap)
        if (!axesOf(from, static_cast<std::size_t>(d)).empty())
            return explicitlyRefused(ExplicitProblem::TakenFromSharded, static_cast<std::size_t>(d), 0);
    for (std::size_t d = 0; d < operands[1].shape.size(); ++d)
        if (!axesOf(operands[1], d).empty())
            return explicitlyRefused(ExplicitProblem::TakenAtSharded, d, 1);
    for (const std::int64_t d : *gather->operandBatchingDims)
        isPart = isPart || !axesOf(from, static_cast<std::size_t>(d)).empty();
    if (isPart)
        return std::nullopt;
    return specified(shape, std::move(sharding));
}

Outcome ofReduce(Operands arrays, std::span<const std::int64_t> dimensions, const TensorSharding* wanted)
{
    ExplicitOutcome outcome = explicitElementwise(arrays);
    if (outcome.problem != ExplicitProblem::None)
        return outcome;
    outcome = explicitReduce({ outcome.shape, outcome.sharding }, dimensions);
    if (!wanted)
        return outcome;
    for (const AxisRef axis : wanted->unreduced)
        if (std::find(outcome.reduced.begin(), outcome.reduced.end(), axis) == outcome.reduced.end())
            return explicitlyRefused(ExplicitProblem::UnreducedNotReduced, 0, 0);
    outcome.sharding = *wanted;
    AxisList added;
    for (const AxisRef axis : outcome.reduced)
        if (std::find(wanted->unreduced.begin(), wanted->unreduced.end(), axis) == wanted->unreduced.end())
            added.push_back(axis);
    outcome.reduced = std::move(added);
    return outcome;
}

Outcome ofReshape(const ExplicitArray& operand, const Shape& shape, const TensorSharding* wanted)
{
    const AxisList& unreduced = operand.sharding.unreduced;
    if (wanted && !(wanted->unreduced == unreduced))
        return explicitlyRefused(
            unreduced.empty() ? ExplicitProblem::ReshapeAddsUnreduced : ExplicitProblem::ReshapeDropsUnreduced, 0, 0);
    if (wanted)
        return specified(shape, *wanted);
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        return std::nullopt; // of nothing
    ExplicitOutcome outcome = explicitReshape(operand, shape);
    outcome.sharding.unreduced = unreduced;
    return outcome;
}

Outcome ofProduct(Operands operands, const DotGeneralAttributes& dimensions, const TensorSharding* wanted)
{
    for (std::size_t o = 0; o < operands.size(); ++o)
        if (!operands[o].sharding.unreduced.empty())
            return explicitlyRefused(ExplicitProblem::ProductOfUnreduced, 0, static_cast<std::int32_t>(o));
    return explicitDot(operands[0], operands[1], dimensions, wanted);
}

/// Elementwise operations for which nothing is stated where an operand is unreduced: linear, but for sum and product.
bool isLinear(OpKind kind)
{
    switch (kind) {
    case OpKind::Subtract:
    case OpKind::Negate:
    case OpKind::Convert:
    case OpKind::Real:
    case OpKind::Imag:
    case OpKind::Complex:
    case OpKind::ChloConj:
    case OpKind::Select:
        return true;
    default:
        return false;
    }
}

/// Of operands one of which is unreduced.
Outcome ofUnreduced(OpKind kind, Operands operands)
{
    std::size_t first = 0;
    while (operands[first].sharding.unreduced.empty())
        ++first;
    const auto at = static_cast<std::int32_t>(first);
    if (isLinear(kind))
        return std::nullopt;
    if (kind == OpKind::Add) {
        const std::size_t other = first == 0 ? 1 : 0;
        if (!(operands[0].sharding.unreduced == operands[1].sharding.unreduced))
            return explicitlyRefused(ExplicitProblem::UnreducedDiffer, 0, at, static_cast<std::int32_t>(other));
        ExplicitOutcome sum = explicitElementwise(operands);
        sum.sharding.unreduced = operands[0].sharding.unreduced;
        return sum;
    }
    if (kind == OpKind::Multiply)
        return explicitlyRefused(ExplicitProblem::FactorNotReduced, 0, at, 1 - at);
    if (kind == OpKind::Divide)
        return operands[1].sharding.unreduced.empty() ? Outcome()
                                                      : explicitlyRefused(ExplicitProblem::DenominatorUnreduced, 0, 1);
    return explicitlyRefused(ExplicitProblem::NotLinear, 0, at);
}

bool isUnreduced(const ExplicitArray& operand)
{
    return !operand.sharding.unreduced.empty();
}

} // namespace

TensorSharding explicitType(const TensorSharding& sharding)
{
    TensorSharding type = sharding;
    closeDimensions(type);
    dropPriorities(type);
    type.replicated.clear();
    return type;
}

Outcome explicitRule(
    const Program& program, const Operation& operation, Operands operands, const TensorSharding* wanted)
{
    if (operation.results.empty())
        return std::nullopt;
    const Shape& shape = program.value(operation.results[0]).type.shape;
    const bool unreduced = std::any_of(operands.begin(), operands.end(), isUnreduced);
    switch (operation.kind) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
    case OpKind::ChloConstant:
    case OpKind::Iota:
        return specified(shape, wanted ? *wanted : TensorSharding::fullyReplicated(shape.size()));
    case OpKind::DotGeneral:
        return ofProduct(operands, std::get<DotGeneralAttributes>(operation.attributes), wanted);
    case OpKind::Dot: {
        const auto last = static_cast<std::int64_t>(operands[0].shape.size()) - 1;
        return ofProduct(operands, { {}, {}, Dimensions{ last }, Dimensions{ 0 } }, wanted);
    }
    case OpKind::Reshape:
        return ofReshape(operands[0], shape, wanted);
    default:
        break;
    }
    if (operation.kind == OpKind::Select && !unreduced)
        return ofSelect(program, operation, operands);
    if (opRow(operation.kind).elementwise)
        return unreduced ? ofUnreduced(operation.kind, operands) : explicitElementwise(operands);
    if (unreduced)
        return std::nullopt;
    switch (operation.kind) {
    case OpKind::BroadcastInDim:
        return wanted ? specified(shape, *wanted) : ofBroadcast(operation, operands[0], shape);
    case OpKind::Transpose:
        return ofTranspose(operation, operands[0], shape);
    case OpKind::Slice:
    case OpKind::DynamicSlice:
        return ofOtherSize(operands[0], shape, ExplicitProblem::SlicedSharded);
    case OpKind::Pad:
        return ofOtherSize(operands[0], shape, ExplicitProblem::PaddedSharded);
    case OpKind::Reverse:
        return specified(shape, operands[0].sharding);
    case OpKind::Concatenate:
        return ofConcatenate(operands, shape);
    case OpKind::Sort:
        if (const auto* sort = attributesAs<SortAttributes>(operation.attributes))
            return ofSort(operands, dimensionFromFront(sort->dimension, shape.size()), shape);
        return std::nullopt;
    case OpKind::ChloTopK:
        return ofSort(operands, shape.size() - 1, shape);
    case OpKind::ReduceWindow:
        return ofWindow(operation, operands, shape);
    case OpKind::Gather:
        return ofGather(operation, operands, shape, wanted);
    case OpKind::Reduce:
        return ofReduce(operands, std::get<ReduceAttributes>(operation.attributes).dimensions, wanted);
    case OpKind::VariadicReduce:
        if (const auto* reduce = attributesAs<VariadicReduceAttributes>(operation.attributes))
            return ofReduce(operands.first(operands.size() / 2), reduce->dimensions, wanted);
        return std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/explicit_rules.h"

#include <algorithm>

#include "program/op_row.h"
#include "program/other_attributes.h"

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

/// Sharded dimensions stay as long as they are.
Outcome ofSlice(const ExplicitArray& operand, const Shape& shape)
{
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] != operand.shape[d] && !axesOf(operand, d).empty())
            return std::nullopt;
    return specified(shape, operand.sharding);
}

Outcome ofPad(const Operation& operation, const ExplicitArray& operand, const Shape& shape)
{
    const auto* pad = attributesAs<PadAttributes>(operation.attributes);
    for (std::size_t d = 0; pad && d < shape.size(); ++d) {
        const bool padded =
            entryOr(pad->low, d, 0) != 0 || entryOr(pad->high, d, 0) != 0 || entryOr(pad->interior, d, 0) != 0;
        if (padded && !axesOf(operand, d).empty())
            return explicitlyRefused(ExplicitProblem::PaddedSharded, d, 0);
    }
    return specified(shape, operand.sharding);
}

/// Equal parts, joined along a dimension that is not sharded.
Outcome ofConcatenate(const Operation& operation, Operands operands, const Shape& shape)
{
    const auto* along = attributesAs<DimensionAttributes>(operation.attributes);
    if (!along || operands.empty() || !axesOf(operands[0], static_cast<std::size_t>(along->dimension)).empty())
        return std::nullopt;
    for (const ExplicitArray& operand : operands)
        if (!operand.sharding.isEquivalent(operands[0].sharding))
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

Outcome ofGather(const Operation& operation, Operands operands, const Shape& shape, const TensorSharding* wanted)
{
    const auto* gather = attributesAs<GatherAttributes>(operation.attributes);
    if (!gather || operands.empty())
        return std::nullopt;
    if (wanted)
        return specified(shape, *wanted);
    for (const std::int64_t d : *gather->startIndexMap)
        if (!axesOf(operands[0], static_cast<std::size_t>(d)).empty())
            return explicitlyRefused(ExplicitProblem::TakenFromSharded, static_cast<std::size_t>(d), 0);
    return std::nullopt;
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
    for (DimensionSharding& dim : type.dims) {
        dim.open = false;
        dim.priority = -1;
    }
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
        return ofSlice(operands[0], shape);
    case OpKind::Pad:
        return ofPad(operation, operands[0], shape);
    case OpKind::Concatenate:
        return ofConcatenate(operation, operands, shape);
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

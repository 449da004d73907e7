// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

const ReduceAttributes& reduction(const Attributes& attributes)
{
    return std::get<ReduceAttributes>(attributes);
}

Result<TensorType> inferReduce(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, attributesAs<ReduceAttributes>("reduce", attributes));
    const TensorType& operand = operands[0];
    SHARDSCOPE_CHECK(checkDimensions("reduce", (*own)->dimensions, operand.rank()));
    const bool logical = (*own)->kind == ReduceKind::And || (*own)->kind == ReduceKind::Or;
    if (logical ? isFloat(realPart(operand.dtype)) : operand.dtype == DType::Pred)
        return typeMismatch("reduce", "it does not take elements of " + toString(operand));
    TensorType result{ operand.dtype, {} };
    for (const std::int64_t d : dimensionsExcept(operand.rank(), (*own)->dimensions))
        result.shape.push_back(operand.shape[at(d)]);
    return result;
}

FactorRule reduceFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    const Dimensions& reduced = reduction(attributes).dimensions;
    RuleBuilder rule(operands, result);
    std::int64_t to = 0;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(operands[0].rank()); ++d) {
        const std::int64_t size = operands[0].shape[at(d)];
        if (contains(reduced, d))
            rule.add(std::array{ d }, absent, size, FactorKind::Reduction);
        else
            rule.add(std::array{ d }, to++, size);
    }
    return std::move(rule).build();
}

OperationCost reduceCost(Types operands, const TensorType& result, const Attributes& attributes)
{
    OperationCost cost = movementCost(operands, result, attributes);
    cost.flops = static_cast<double>(operands[0].elementCount());
    return cost;
}

/// Shares the cotangent out over all elements that attain the extremum.
ValueId pullBackExtremum(
    Builder& b, ValueId x, ValueId spreadResult, ValueId c, const Dimensions& reduced, const Dimensions& kept)
{
    const Shape shape = b.type(x).shape;
    const ValueId attains = b.convert(b.compare(Comparison::Equal, x, spreadResult), b.type(x).dtype);
    const ValueId share = b.binary(OpKind::Divide, c, b.reduce(ReduceKind::Sum, attains, reduced));
    return b.binary(OpKind::Multiply, b.broadcast(share, shape, kept), attains);
}

/// The product of all other elements: result / x where nothing is zero. Where one element is zero only it has a
/// derivative, the product of the rest; where several are, none has.
ValueId pullBackProduct(
    Builder& b, ValueId x, ValueId spreadCotangent, const Dimensions& reduced, const Dimensions& kept)
{
    const Shape shape = b.type(x).shape;
    const auto number = [&](double value) { return splatLike(b, x, value); };
    const ValueId isZero = b.compare(Comparison::Equal, x, number(0));
    const ValueId zeros =
        b.broadcast(b.reduce(ReduceKind::Sum, b.convert(isZero, b.type(x).dtype), reduced), shape, kept);
    const ValueId nonzero = b.select(isZero, number(1), x);
    const ValueId product = b.broadcast(b.reduce(ReduceKind::Product, nonzero, reduced), shape, kept);
    const ValueId atZero = b.select(b.compare(Comparison::Equal, zeros, number(1)), product, number(0));
    const ValueId elsewhere =
        b.select(b.compare(Comparison::Equal, zeros, number(0)), b.binary(OpKind::Divide, product, nonzero), number(0));
    return b.binary(OpKind::Multiply, spreadCotangent, b.select(isZero, atZero, elsewhere));
}

std::vector<ValueId> pullBackReduce(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0];
    if (!wanted[0])
        return { ValueId() };
    const ValueId x = operation.operands[0];
    const Shape shape = b.type(x).shape;
    const ReduceAttributes& a = reduction(operation.attributes);
    const Dimensions kept = dimensionsExcept(shape.size(), a.dimensions);
    switch (a.kind) {
    case ReduceKind::Sum:
        return { b.broadcast(c, shape, kept) };
    case ReduceKind::Max:
    case ReduceKind::Min:
        return { pullBackExtremum(b, x, b.broadcast(operation.results[0], shape, kept), c, a.dimensions, kept) };
    case ReduceKind::Product:
        return { pullBackProduct(b, x, b.broadcast(c, shape, kept), a.dimensions, kept) };
    case ReduceKind::And:
    case ReduceKind::Or:
        break; // never of floating point
    }
    return { ValueId() };
}

// StableHLO's reduce: n operands of one shape, n initial values, and a body that puts two of each together.

Result<void> checkReduce(const Subject& reduce)
{
    SHARDSCOPE_TRY(own, reduce.otherAttributes<VariadicReduceAttributes>());
    const Dimensions& dimensions = (*own)->dimensions;
    SHARDSCOPE_TRY(count, expectReducedInputs(reduce));
    const Shape& shape = reduce.operands[0].shape;
    SHARDSCOPE_CHECK(checkDimensions(reduce.name, dimensions, shape.size()));
    Shape kept;
    for (const std::int64_t d : dimensionsExcept(shape.size(), dimensions))
        kept.push_back(shape[at(d)]);
    SHARDSCOPE_TRY(scalars, expectReducedShapes(reduce, kept));
    if (reduce.operation.regions.empty() && (*own)->kind) {
        const bool ofBits = (*own)->kind == ReduceKind::And || (*own)->kind == ReduceKind::Or;
        for (const TensorType& scalar : *scalars)
            if (ofBits && scalar.dtype != DType::Pred && !isInteger(scalar.dtype))
                return reduce.mismatch("bits of " + toString(scalar) + " cannot be put together");
        return {};
    }
    if (reduce.operation.regions.size() != 1)
        return reduce.attribute(counted(reduce.operation.regions.size(), "body") + " instead of 1");
    return expectReducer(reduce, reduce.operation.regions[0], "body", *scalars, *count);
}

FactorRule reduceRule(const Program& program, const Operation& operation, RuleOptions)
{
    const Dimensions& reduced = attributesOf<VariadicReduceAttributes>(operation).dimensions;
    const Shape& shape = program.value(operation.operands[0]).type.shape;
    const std::size_t count = operation.results.size();
    RuleBuilder rule(program, operation);
    std::int64_t to = 0;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(shape.size()); ++d) {
        const bool gone = contains(reduced, d);
        rule.add(std::vector<std::int64_t>(count, d), std::vector<std::int64_t>(count, gone ? absent : to),
            shape[at(d)], gone ? FactorKind::Reduction : FactorKind::PassThrough);
        to += gone ? 0 : 1;
    }
    return std::move(rule).build();
}

OperationCost reduceWork(const Program& program, const Operation& operation)
{
    double flops = 0;
    for (std::size_t i = 0; i < operation.results.size(); ++i)
        flops += static_cast<double>(program.value(operation.operands[i]).type.elementCount());
    return workOf(program, operation, flops);
}

constexpr std::array reduceTable{
    OpRow{ OpKind::Reduce, "reduce", 1, false, inferReduce, reduceFactors, reduceCost, pullBackReduce },
    OpRow{ .kind = OpKind::VariadicReduce,
        .name = "reduce",
        .rule = reduceRule,
        .check = checkReduce,
        .work = reduceWork,
        .regionCount = -1 },
};

} // namespace

std::span<const OpRow> reduceRows()
{
    return reduceTable;
}

} // namespace shardscope::ops

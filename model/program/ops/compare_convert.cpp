// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations whose result has another element type.
// Declared in rows.h.
#include <array>

#include "program/ops/elementwise.h"
#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

Result<TensorType> inferCompare(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_CHECK(attributesAs<CompareAttributes>("compare", attributes));
    SHARDSCOPE_CHECK(expectAlike("compare", operands));
    const CompareType type = std::get<CompareAttributes>(attributes).type;
    const bool ofFloats = type == CompareType::Float || type == CompareType::TotalOrder;
    const DType dtype = operands[0].dtype;
    if (type != CompareType::None && ofFloats != (isFloat(dtype) || isComplex(dtype)))
        return invalidAttribute("compare",
            std::string(ofFloats ? "numbers with a fraction" : "integers") + " are compared, and operands are "
                + toString(operands[0]));
    return TensorType{ DType::Pred, operands[0].shape };
}

Result<TensorType> inferConvert(Types operands, const Attributes& attributes, const TensorType& hint)
{
    SHARDSCOPE_CHECK(expectNoAttributes("convert", attributes));
    if (hint.shape != operands[0].shape)
        return typeMismatch(
            "convert", toString(operands[0]) + " to " + toString(hint) + "; only the element type may change");
    return hint;
}

std::vector<ValueId> pullBackConvert(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0];
    const DType dtype = b.type(operation.operands[0]).dtype;
    return { wanted[0] && isFloat(dtype) ? b.convert(c, dtype) : ValueId() };
}

Result<TensorType> inferSelect(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_CHECK(expectNoAttributes("select", attributes));
    if (operands[1] != operands[2])
        return typeMismatch("select",
            "the choices are " + toString(operands[1]) + " and " + toString(operands[2])
                + ", and should have one type");
    if (operands[0].dtype != DType::Pred || (operands[0].rank() != 0 && operands[0].shape != operands[1].shape))
        return typeMismatch("select",
            "the predicate is " + toString(operands[0]) + "; for " + toString(operands[1])
                + " it should be i1, a single one or one per element");
    return operands[1];
}

std::vector<ValueId> pullBackSelect(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0];
    const ValueId predicate = operation.operands[0];
    return { ValueId(), wanted[1] ? b.select(predicate, c, splatLike(b, c, 0)) : ValueId(),
        wanted[2] ? b.select(predicate, splatLike(b, c, 0), c) : ValueId() };
}

Result<TensorType> inferClamp(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_CHECK(expectNoAttributes("clamp", attributes));
    const TensorType& value = operands[1];
    for (const std::size_t bound : { 0U, 2U })
        if (operands[bound].dtype != value.dtype
            || (operands[bound].rank() != 0 && operands[bound].shape != value.shape))
            return typeMismatch("clamp",
                "a bound is " + toString(operands[bound]) + "; for " + toString(value)
                    + " it should be of that type, or a single element of it");
    if (value.dtype == DType::Pred)
        return typeMismatch("clamp", "it does not take elements of " + toString(value));
    return value;
}

/// A scalar bound as an array like `value`.
ValueId spread(Builder& b, ValueId bound, ValueId value)
{
    const Shape shape = b.type(value).shape;
    return b.type(bound).rank() == shape.size() ? bound : b.broadcastScalar(bound, shape);
}

/// The cotangent of a bound: that of the result where `beyond` says that the bound rules, added up for a scalar bound.
ValueId pullBackBound(Builder& b, ValueId bound, ValueId beyond, ValueId c)
{
    const ValueId full = b.select(beyond, c, splatLike(b, c, 0));
    const std::size_t rank = b.type(c).rank();
    return b.type(bound).rank() == rank ? full : b.reduce(ReduceKind::Sum, full, dimensionsExcept(rank, {}));
}

// At a tie with a bound the bound rules and nobody gets anything, as in JAX.
std::vector<ValueId> pullBackClamp(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0];
    const ValueId lowest = operation.operands[0], x = operation.operands[1], highest = operation.operands[2];
    std::vector<ValueId> pulled(3);
    if (wanted[0])
        pulled[0] = pullBackBound(b, lowest, b.compare(Comparison::Less, x, spread(b, lowest, x)), c);
    if (wanted[1]) {
        const ValueId inside = b.binary(OpKind::And, b.compare(Comparison::Greater, x, spread(b, lowest, x)),
            b.compare(Comparison::Less, x, spread(b, highest, x)));
        pulled[1] = b.select(inside, c, splatLike(b, c, 0));
    }
    if (wanted[2])
        pulled[2] = pullBackBound(b, highest, b.compare(Comparison::Greater, x, spread(b, highest, x)), c);
    return pulled;
}

constexpr std::array compareConvertTable{
    OpRow{ OpKind::Convert, "convert", 1, true, inferConvert, pointwiseFactors, pointwiseCost, pullBackConvert },
    OpRow{ OpKind::Compare, "compare", 2, true, inferCompare, pointwiseFactors, pointwiseCost, nullptr },
    OpRow{ OpKind::Select, "select", 3, true, inferSelect, pointwiseFactors, pointwiseCost, pullBackSelect },
    OpRow{ OpKind::Clamp, "clamp", 3, true, inferClamp, pointwiseFactors, pointwiseCost, pullBackClamp },
};

} // namespace

std::span<const OpRow> compareConvertRows()
{
    return compareConvertTable;
}

} // namespace shardscope::ops

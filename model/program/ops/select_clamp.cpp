// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>

#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

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

constexpr std::array selectClampTable{
    OpRow{ OpKind::Select, "select", 3, true, inferSelect, pointwiseFactors, pointwiseCost, pullBackSelect },
    OpRow{ OpKind::Clamp, "clamp", 3, true, inferClamp, pointwiseFactors, pointwiseCost, pullBackClamp },
};

} // namespace

std::span<const OpRow> selectClampRows()
{
    return selectClampTable;
}

} // namespace shardscope::ops

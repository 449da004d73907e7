// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

Result<TensorType> inferSlice(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, requiredAttributes<SliceAttributes>("slice", attributes));
    const SliceAttributes& a = **own;
    TensorType result = operands[0];
    const std::size_t rank = result.rank();
    if (a.starts.size() != rank || a.limits.size() != rank || (!a.strides.empty() && a.strides.size() != rank))
        return invalidAttribute("slice", "one start, limit and stride are needed per dimension of " + toString(result));
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t start = a.starts[d], limit = a.limits[d], stride = entryOr(a.strides, d, 1);
        if (start < 0 || limit < start || limit > result.shape[d] || stride < 1)
            return invalidAttribute("slice",
                "dimension " + std::to_string(d) + " of " + toString(result) + " from " + std::to_string(start) + " to "
                    + std::to_string(limit) + " in steps of " + std::to_string(stride)
                    + (limit > result.shape[d] ? ", which is beyond its end"
                            : limit < start    ? ", which ends before it begins"
                                               : ""));
        result.shape.edit()[d] = (limit - start) / stride + ((limit - start) % stride == 0 ? 0 : 1);
    }
    return result;
}

Result<TensorType> inferPad(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, requiredAttributes<PadAttributes>("pad", attributes));
    const PadAttributes& a = **own;
    TensorType result = operands[0];
    const std::size_t rank = result.rank();
    if (operands[1] != TensorType{ result.dtype, {} })
        return typeMismatch("pad",
            "padding with " + toString(operands[1]) + " and not with " + toString(TensorType{ result.dtype, {} }));
    if (a.low.size() != rank || a.high.size() != rank || (!a.interior.empty() && a.interior.size() != rank))
        return invalidAttribute("pad", "low, high and interior are needed per dimension of " + toString(result));
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t interior = entryOr(a.interior, d, 0);
        if (interior < 0)
            return invalidAttribute("pad", "interior padding of " + std::to_string(interior));
        const std::int64_t size = padded(dilated(result.shape[d], saturatingSum(interior, 1)), a.low[d], a.high[d]);
        if (size < 0)
            return invalidAttribute("pad",
                "dimension " + std::to_string(d) + " of " + toString(result) + " would have size "
                    + std::to_string(size));
        result.shape.edit()[d] = size;
    }
    return result;
}

FactorRule slicedDimensionsRule(const Program& program, const Operation& operation, RuleOptions options)
{
    return changedDimensionsRule(program, operation, FactorKind::Permutation, options.conservative);
}

/// Zeros around, and between where the slice steps.
std::vector<ValueId> pullBackSlice(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    if (!wanted[0])
        return { ValueId() };
    const ValueId c = cotangents[0];
    const SliceAttributes& a = attributesOf<SliceAttributes>(operation);
    const TensorType from = b.type(operation.operands[0]), to = b.type(c);
    Dimensions high, interior;
    for (std::size_t d = 0; d < from.rank(); ++d) {
        const std::int64_t stride = entryOr(a.strides, d, 1);
        interior.push_back(stride - 1);
        high.push_back(from.shape[d] - a.starts[d] - dilated(to.shape[d], stride));
    }
    return { b.pad(c, b.constant({ from.dtype, {} }, 0), a.starts, high, interior) };
}

/// The operand gets back what lies where it was put, the padding the sum of the rest. What negative padding takes away
/// gets nothing.
std::vector<ValueId> pullBackPad(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const PadAttributes& a = attributesOf<PadAttributes>(operation);
    const TensorType from = b.type(operation.operands[0]);
    Dimensions low, high, starts, limits, strides;
    for (std::size_t d = 0; d < from.rank(); ++d) {
        low.push_back(-a.low[d]);
        high.push_back(-a.high[d]);
        starts.push_back(0);
        strides.push_back(entryOr(a.interior, d, 0) + 1);
        limits.push_back(dilated(from.shape[d], strides.back()));
    }
    const ValueId zero = b.constant({ from.dtype, {} }, 0);
    const ValueId back = b.slice(b.pad(cotangents[0], zero, low, high), starts, limits, strides);
    std::vector<ValueId> pulled(2);
    if (wanted[0])
        pulled[0] = back;
    if (wanted[1]) {
        const Dimensions all = dimensionsExcept(from.rank(), {});
        pulled[1] = b.binary(
            OpKind::Subtract, b.reduce(ReduceKind::Sum, cotangents[0], all), b.reduce(ReduceKind::Sum, back, all));
    }
    return pulled;
}

constexpr std::array slicePadTable{
    OpRow{ .kind = OpKind::Slice,
        .name = "slice",
        .operandCount = 1,
        .inferType = inferSlice,
        .cost = movementCost,
        .pullback = pullBackSlice,
        .rule = slicedDimensionsRule },
    OpRow{ .kind = OpKind::Pad,
        .name = "pad",
        .operandCount = 2,
        .inferType = inferPad,
        .cost = movementCost,
        .pullback = pullBackPad,
        .rule = slicedDimensionsRule },
};

} // namespace

std::span<const OpRow> slicePadRows()
{
    return slicePadTable;
}

} // namespace shardscope::ops

// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations whose result has another element type.
// Declared in rows.h.
#include <array>

#include "program/ops/elementwise.h"
#include "program/ops/rows.h"

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

constexpr std::array compareConvertTable{
    OpRow{ OpKind::Convert, "convert", 1, true, inferConvert, pointwiseFactors, pointwiseCost, pullBackConvert },
    OpRow{ OpKind::Compare, "compare", 2, true, inferCompare, pointwiseFactors, pointwiseCost, nullptr },
};

} // namespace

std::span<const OpRow> compareConvertRows()
{
    return compareConvertTable;
}

} // namespace shardscope::ops

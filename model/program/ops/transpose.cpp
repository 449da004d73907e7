// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

Result<TensorType> inferTranspose(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, attributesAs<TransposeAttributes>("transpose", attributes));
    const TensorType& operand = operands[0];
    const Dimensions& permutation = (*own)->permutation;
    if (permutation.size() != operand.rank())
        return invalidAttribute("transpose", "not a permutation of the dimensions of " + toString(operand));
    SHARDSCOPE_CHECK(checkDimensions("transpose", permutation, operand.rank()));
    TensorType result{ operand.dtype, {} };
    for (const std::int64_t d : permutation)
        result.shape.push_back(operand.shape[at(d)]);
    return result;
}

FactorRule transposeFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    const Dimensions& permutation = std::get<TransposeAttributes>(attributes).permutation;
    RuleBuilder rule(operands, result);
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(result.rank()); ++d)
        rule.add(std::array{ permutation[at(d)] }, d, result.shape[at(d)]);
    return std::move(rule).build();
}

std::vector<ValueId> pullBackTranspose(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0];
    if (!wanted[0])
        return { ValueId() };
    const Dimensions& permutation = std::get<TransposeAttributes>(operation.attributes).permutation;
    Dimensions inverse(permutation.size());
    for (std::size_t i = 0; i < permutation.size(); ++i)
        inverse[at(permutation[i])] = static_cast<std::int64_t>(i);
    return { b.transpose(c, inverse) };
}

Result<TensorType> inferReverse(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, requiredAttributes<DimensionsAttributes>("reverse", attributes));
    SHARDSCOPE_CHECK(checkDimensions("reverse", (*own)->dimensions, operands[0].rank()));
    return operands[0];
}

FactorRule reverseFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    const Dimensions& reversed = attributesAs<DimensionsAttributes>(attributes)->dimensions;
    RuleBuilder rule(operands, result);
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(result.rank()); ++d)
        rule.addShared(
            d, result.shape[at(d)], contains(reversed, d) ? FactorKind::Permutation : FactorKind::PassThrough);
    return std::move(rule).build();
}

std::vector<ValueId> pullBackReverse(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    return { wanted[0] ? b.reverse(cotangents[0], attributesOf<DimensionsAttributes>(operation).dimensions)
                       : ValueId() };
}

constexpr std::array transposeTable{
    OpRow{
        OpKind::Transpose, "transpose", 1, false, inferTranspose, transposeFactors, movementCost, pullBackTranspose },
    OpRow{ OpKind::Reverse, "reverse", 1, false, inferReverse, reverseFactors, movementCost, pullBackReverse },
};

} // namespace

std::span<const OpRow> transposeRows()
{
    return transposeTable;
}

} // namespace shardscope::ops

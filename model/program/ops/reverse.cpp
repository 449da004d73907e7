// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

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

constexpr std::array reverseTable{
    OpRow{ OpKind::Reverse, "reverse", 1, false, inferReverse, reverseFactors, movementCost, pullBackReverse },
};

} // namespace

std::span<const OpRow> reverseRows()
{
    return reverseTable;
}

} // namespace shardscope::ops

// SPDX-License-Identifier: GPL-3.0-or-later
// CHLO's operations that are not elementwise.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// The largest k numbers along the last dimension, and their places.
Result<void> checkTopK(const Program& program, const Operation& operation)
{
    const Subject top(program, operation);
    const auto own = top.wide<TopKAttributes>();
    if (!own)
        return tl::unexpected(own.error());
    SHARDSCOPE_CHECK(expectResults(top, 2));
    TensorType type = top.operands[0];
    if (type.rank() == 0)
        return top.mismatch("operand is " + toString(type) + ", which has no last dimension");
    if ((*own)->k < 0 || (*own)->k > type.shape.back())
        return top.attribute("the largest " + std::to_string((*own)->k) + " of "
            + counted(static_cast<std::size_t>(type.shape.back()), "number"));
    type.shape.back() = (*own)->k;
    SHARDSCOPE_CHECK(expectType(top, "result 0", top.results[0], type));
    return expectType(top, "result 1", top.results[1], { DType::I32, type.shape });
}

FactorRule topKRule(const Program& program, const Operation& operation, RuleOptions)
{
    return changedDimensionsRule(program, operation, FactorKind::NeedReplication, true);
}

Result<void> checkRaggedDot(const Program& program, const Operation& operation)
{
    const Subject dot(program, operation);
    SHARDSCOPE_CHECK(expectResults(dot, 1));
    if (!isInteger(dot.operands[2].dtype))
        return dot.mismatch("group sizes are " + toString(dot.operands[2]) + "; integers are needed");
    return {};
}

std::array<OpRow, 2> makeRows()
{
    OpRow topK{ OpKind::ChloTopK, "top_k", 1 };
    topK.rule = topKRule;
    topK.check = checkTopK;
    topK.work = movementWork;
    OpRow raggedDot{ OpKind::ChloRaggedDot, "ragged_dot", 3 };
    raggedDot.factors = noFactors;
    raggedDot.check = checkRaggedDot;
    raggedDot.work = movementWork;
    topK.dialect = raggedDot.dialect = OpDialect::Chlo;
    return { topK, raggedDot };
}

} // namespace

std::span<const OpRow> chloRows()
{
    static const std::array<OpRow, 2> rows = makeRows();
    return rows;
}

} // namespace shardscope::ops

// SPDX-License-Identifier: GPL-3.0-or-later
// CHLO's operations that are not elementwise.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"
#include "program/ragged_dot.h"

namespace shardscope::ops {

namespace {

/// The largest k numbers along the last dimension, and their places.
Result<void> checkTopK(const Subject& top)
{
    SHARDSCOPE_TRY(own, top.otherAttributes<TopKAttributes>());
    SHARDSCOPE_CHECK(expectResults(top, 2));
    TensorType type = top.operands[0];
    if (type.rank() == 0)
        return top.mismatch("operand is " + toString(type) + ", which has no last dimension");
    if (isComplex(type.dtype))
        return top.mismatch("operand is " + toString(type) + ", whose elements have no order");
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

/// Each number goes back to its place; the others get zero.
std::vector<ValueId> pullBackTopK(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    if (!wanted[0] || !cotangents[0].valid())
        return { ValueId() };
    const auto last = static_cast<std::int64_t>(b.type(operation.operands[0]).rank()) - 1;
    const Dimensions batch = dimensionsExcept(static_cast<std::size_t>(last), {});
    return { b.scatter(ReduceKind::Sum, splatLike(b, operation.operands[0], 0), operation.results[1], cotangents[0],
        { {}, { last }, batch, batch, { last }, last + 1, false, true }) };
}

Result<void> checkRaggedDot(const Subject& dot)
{
    SHARDSCOPE_CHECK(expectResults(dot, 1));
    if (!isInteger(dot.operands[2].dtype))
        return dot.mismatch("group sizes are " + toString(dot.operands[2]) + "; integers are needed");
    SHARDSCOPE_TRY(own, raggedDotOf(dot.program, dot.operation));
    return expectShape(dot, "the result", dot.results[0],
        raggedDotShape(*own, dot.operands[0].shape, dot.operands[1].shape, dot.operands[2].shape));
}

/// Every element of the left side is multiplied with the matrix of its group alone.
OperationCost raggedDotWork(const Program& program, const Operation& operation)
{
    OperationCost cost = movementWork(program, operation);
    if (const Result<RaggedDot> own = raggedDotOf(program, operation)) {
        const auto count = [](const Shape& shape) {
            double elements = 1;
            for (const std::int64_t size : shape)
                elements *= static_cast<double>(size);
            return elements;
        };
        const Shape& right = program.value(operation.operands[1]).type.shape;
        double columns = 1;
        for (const std::int64_t dim : own->rightFree)
            columns *= static_cast<double>(right[static_cast<std::size_t>(dim)]);
        cost.flops = 2 * columns * count(program.value(operation.operands[0]).type.shape);
    }
    return cost;
}

constexpr std::array chloTable{
    OpRow{ .kind = OpKind::ChloTopK,
        .name = "top_k",
        .operandCount = 1,
        .pullback = pullBackTopK,
        .dialect = OpDialect::Chlo,
        .rule = topKRule,
        .check = checkTopK,
        .work = movementWork },
    OpRow{ .kind = OpKind::ChloRaggedDot,
        .name = "ragged_dot",
        .operandCount = 3,
        .factors = noFactors,
        .dialect = OpDialect::Chlo,
        .check = checkRaggedDot,
        .work = raggedDotWork },
};

} // namespace

std::span<const OpRow> chloRows()
{
    return chloTable;
}

} // namespace shardscope::ops

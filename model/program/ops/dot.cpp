// SPDX-License-Identifier: GPL-3.0-or-later
// Products of vectors and matrices: the last dimension of the left operand with the first of the right one.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// The element type of the result is free: products of narrow numbers are often kept in wider ones.
Result<void> checkDot(const Subject& dot)
{
    SHARDSCOPE_CHECK(expectResults(dot, 1));
    const TensorType &lhs = dot.operands[0], &rhs = dot.operands[1];
    for (const TensorType& operand : dot.operands)
        if (operand.rank() < 1 || operand.rank() > 2)
            return dot.mismatch("operand is " + toString(operand) + "; a vector or a matrix is needed");
    if (lhs.shape.back() != rhs.shape.front())
        return dot.mismatch(toString(lhs) + " and " + toString(rhs) + ", which contract "
            + std::to_string(lhs.shape.back()) + " with " + std::to_string(rhs.shape.front()));
    Shape shape(lhs.shape.begin(), lhs.shape.end() - 1);
    for (std::size_t d = 1; d < rhs.rank(); ++d)
        shape.push_back(rhs.shape[d]);
    return expectShape(dot, "the result", dot.results[0], shape);
}

FactorRule dotFactors(Types operands, const TensorType& result, const Attributes&)
{
    const Shape &lhs = operands[0].shape, &rhs = operands[1].shape;
    RuleBuilder rule(operands, result);
    std::int64_t to = 0;
    if (lhs.size() == 2)
        rule.add(std::array<std::int64_t, 2>{ 0, absent }, to++, lhs[0]);
    if (rhs.size() == 2)
        rule.add(std::array<std::int64_t, 2>{ absent, 1 }, to, rhs[1]);
    rule.add(std::array<std::int64_t, 2>{ static_cast<std::int64_t>(lhs.size()) - 1, 0 }, absent, rhs[0],
        FactorKind::Reduction);
    return std::move(rule).build();
}

OperationCost dotCost(Types operands, const TensorType& result, const Attributes& attributes)
{
    OperationCost cost = movementCost(operands, result, attributes);
    cost.flops = 2 * static_cast<double>(result.elementCount()) * static_cast<double>(operands[1].shape.front());
    return cost;
}

/// dA = dC B^T and dB = A^T dC; where a vector stands for a matrix, products of every number with every number.
std::vector<ValueId> pullBackDot(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId lhs = operation.operands[0], rhs = operation.operands[1], c = cotangents[0];
    const bool rows = b.type(lhs).rank() == 2, columns = b.type(rhs).rank() == 2;
    const auto last = static_cast<std::int64_t>(b.type(c).rank()) - 1;
    std::vector<ValueId> pulled(2);
    if (wanted[0])
        pulled[0] = columns ? b.dotGeneral(c, rhs, { {}, {}, { last }, { 1 } }) : b.dotGeneral(c, rhs, {});
    if (wanted[1])
        pulled[1] = rows ? b.dotGeneral(lhs, c, { {}, {}, { 0 }, { 0 } }) : b.dotGeneral(lhs, c, {});
    return inTypesOf(b, std::move(pulled), operation);
}

constexpr std::array dotTable{
    OpRow{ .kind = OpKind::Dot,
        .name = "dot",
        .operandCount = 2,
        .factors = dotFactors,
        .cost = dotCost,
        .pullback = pullBackDot,
        .check = checkDot },
};

} // namespace

std::span<const OpRow> dotRows()
{
    return dotTable;
}

} // namespace shardscope::ops

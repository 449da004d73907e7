// SPDX-License-Identifier: GPL-3.0-or-later
// Decompositions and solutions of systems, of matrices in the last two dimensions.
// Declared in rows.h.
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// A stack of square matrices.
Result<void> expectSquare(std::string_view op, const TensorType& type)
{
    const std::size_t rank = type.rank();
    if (rank < 2 || type.shape[rank - 1] != type.shape[rank - 2])
        return typeMismatch(op, toString(type) + ", whose last two dimensions should be one size");
    return {};
}

Result<void> expectFloats(std::string_view op, const TensorType& type)
{
    if (!isFloat(type.dtype) && !isComplex(type.dtype))
        return typeMismatch(op, "it does not take elements of " + toString(type));
    return {};
}

Result<TensorType> inferCholesky(Types operands, const Attributes&, const TensorType&)
{
    SHARDSCOPE_CHECK(expectFloats("cholesky", operands[0]));
    SHARDSCOPE_CHECK(expectSquare("cholesky", operands[0]));
    return operands[0];
}

FactorRule choleskyFactors(Types operands, const TensorType& result, const Attributes&)
{
    RuleBuilder rule(operands, result);
    for (std::size_t d = 0; d < result.rank(); ++d)
        rule.addShared(static_cast<std::int64_t>(d), result.shape[d],
            d + 2 < result.rank() ? FactorKind::PassThrough : FactorKind::NeedReplication);
    return std::move(rule).build();
}

/// n^3 / 3 per matrix.
OperationCost choleskyCost(Types operands, const TensorType& result, const Attributes& attributes)
{
    OperationCost cost = movementCost(operands, result, attributes);
    cost.flops = static_cast<double>(result.elementCount()) * static_cast<double>(result.shape.back()) / 3;
    return cost;
}

Result<TensorType> inferTriangularSolve(Types operands, const Attributes& attributes, const TensorType&)
{
    constexpr std::string_view op = "triangular_solve";
    SHARDSCOPE_TRY(own, requiredAttributes<TriangularSolveAttributes>(op, attributes));
    const TensorType &a = operands[0], &b = operands[1];
    SHARDSCOPE_CHECK(expectFloats(op, a));
    SHARDSCOPE_CHECK(expectSquare(op, a));
    const std::size_t rank = a.rank();
    const bool same = b.rank() == rank && b.dtype == a.dtype
        && std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin())
        && b.shape[rank - ((*own)->leftSide ? 2 : 1)] == a.shape[rank - 1];
    if (!same)
        return typeMismatch(
            op, toString(a) + " and " + toString(b) + ", which do not fit as matrix and right-hand side");
    return b;
}

FactorRule triangularSolveFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    constexpr FactorKind full = FactorKind::NeedReplication;
    const TriangularSolveAttributes& own = *attributesAs<TriangularSolveAttributes>(attributes);
    const Shape &a = operands[0].shape, &b = operands[1].shape;
    const auto last = static_cast<std::int64_t>(a.size()) - 1;
    const bool transposed = own.transposeA != TransposeA::NoTranspose;
    const std::int64_t contracting = own.leftSide == transposed ? last - 1 : last;
    const std::int64_t other = own.leftSide == transposed ? last : last - 1;
    RuleBuilder rule(operands, result);
    for (std::int64_t d = 0; d < last - 1; ++d)
        rule.add(std::array{ d, d }, d, a[at(d)]);
    if (own.leftSide) {
        rule.add(std::array{ other, last - 1 }, absent, a[at(other)], full);
        rule.add(std::array{ absent, last }, last, b[at(last)], full);
        rule.add(std::array{ contracting, absent }, last - 1, a[at(contracting)], full);
    } else {
        rule.add(std::array{ absent, last - 1 }, last - 1, b[at(last - 1)], full);
        rule.add(std::array{ other, last }, absent, a[at(other)], full);
        rule.add(std::array{ contracting, absent }, last, a[at(contracting)], full);
    }
    return std::move(rule).build();
}

/// A multiplication and an addition for every second element of the matrix, per column of b.
OperationCost triangularSolveCost(Types operands, const TensorType& result, const Attributes& attributes)
{
    OperationCost cost = movementCost(operands, result, attributes);
    cost.flops = static_cast<double>(result.elementCount()) * static_cast<double>(operands[0].shape.back());
    return cost;
}

constexpr std::array linearAlgebraTable{
    OpRow{ OpKind::Cholesky, "cholesky", 1, false, inferCholesky, choleskyFactors, choleskyCost },
    OpRow{ OpKind::TriangularSolve, "triangular_solve", 2, false, inferTriangularSolve, triangularSolveFactors,
        triangularSolveCost },
};

} // namespace

std::span<const OpRow> linearAlgebraRows()
{
    return linearAlgebraTable;
}

} // namespace shardscope::ops

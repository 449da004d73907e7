// SPDX-License-Identifier: GPL-3.0-or-later
// Decompositions and solutions of systems, of matrices in the last two dimensions.
// Declared in rows.h.
#include <array>
#include <cmath>

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

// Fourier transforms along the last one, two or three dimensions. Transforms of real numbers keep half of the last
// dimension, which is all that there is to know.

Result<TensorType> inferFft(Types operands, const Attributes& attributes, const TensorType&)
{
    SHARDSCOPE_TRY(own, requiredAttributes<FftAttributes>("fft", attributes));
    const FftAttributes& a = **own;
    TensorType result = operands[0];
    const std::size_t rank = result.rank(), count = a.length.size();
    if (count < 1 || count > 3 || count > rank)
        return invalidAttribute(
            "fft", counted(count, "length") + " for " + toString(result) + "; 1 to 3, and no more than its rank");
    const bool fromReal = a.type == FftType::Rfft, toReal = a.type == FftType::Irfft;
    if (fromReal ? result.dtype != DType::F32 && result.dtype != DType::F64 : !isComplex(result.dtype))
        return typeMismatch("fft",
            "operand is " + toString(result) + "; " + (fromReal ? "f32 or f64" : "complex numbers") + " are needed");
    for (std::size_t i = 0; i < count; ++i) {
        const bool last = i + 1 == count;
        const std::int64_t size = result.shape[rank - count + i];
        const std::int64_t wanted = last && toReal ? a.length[i] / 2 + 1 : a.length[i];
        if (size != wanted && !(last && toReal && a.length[i] == 0 && size == 0))
            return typeMismatch("fft",
                "operand is " + toString(result) + " and should have size " + std::to_string(wanted) + " in dimension "
                    + std::to_string(rank - count + i));
    }
    if (fromReal) {
        result.dtype = result.dtype == DType::F32 ? DType::C64 : DType::C128;
        result.shape.back() = a.length.back() == 0 ? 0 : a.length.back() / 2 + 1;
    } else if (toReal) {
        result.dtype = result.dtype == DType::C64 ? DType::F32 : DType::F64;
        result.shape.back() = a.length.back();
    }
    return result;
}

FactorRule fftFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    const std::size_t rank = result.rank();
    const std::size_t kept = rank - attributesAs<FftAttributes>(attributes)->length.size();
    RuleBuilder rule(operands, result);
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t size = operands[0].shape[d];
        rule.addShared(static_cast<std::int64_t>(d), size,
            d < kept ? FactorKind::PassThrough : FactorKind::NeedReplication, size != result.shape[d]);
    }
    return std::move(rule).build();
}

/// 5 n log2 n, as is usual to count.
OperationCost fftCost(Types operands, const TensorType& result, const Attributes& attributes)
{
    OperationCost cost = movementCost(operands, result, attributes);
    double points = 1;
    for (const std::int64_t length : attributesAs<FftAttributes>(attributes)->length)
        points *= static_cast<double>(length);
    const auto elements = static_cast<double>(std::max(operands[0].elementCount(), result.elementCount()));
    cost.flops = 5 * elements * std::log2(std::max(points, 1.0));
    return cost;
}

constexpr std::array linearAlgebraTable{
    OpRow{ OpKind::Cholesky, "cholesky", 1, false, inferCholesky, choleskyFactors, choleskyCost },
    OpRow{ OpKind::TriangularSolve, "triangular_solve", 2, false, inferTriangularSolve, triangularSolveFactors,
        triangularSolveCost },
    OpRow{ OpKind::Fft, "fft", 1, false, inferFft, fftFactors, fftCost },
};

} // namespace

std::span<const OpRow> linearAlgebraRows()
{
    return linearAlgebraTable;
}

} // namespace shardscope::ops

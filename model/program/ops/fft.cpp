// SPDX-License-Identifier: GPL-3.0-or-later
// Fourier transforms along the last one, two or three dimensions. Transforms of real numbers keep half of the last
// dimension, which is all that there is to know.
// Declared in rows.h.
#include <array>
#include <cmath>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

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

constexpr std::array fftTable{
    OpRow{ OpKind::Fft, "fft", 1, false, inferFft, fftFactors, fftCost },
};

} // namespace

std::span<const OpRow> fftRows()
{
    return fftTable;
}

} // namespace shardscope::ops

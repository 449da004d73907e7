// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/elementwise.h"

#include <algorithm>
#include <cstring>

#include "program/element_bits.h"
#include "program/other_attributes.h"
#include "simulate/kernels/array.h"
#include "simulate/kernels/element_types.h"

namespace shardscope::kernels {

namespace {

constexpr std::int64_t chunkElements = 256;

template <class T>
ElementFunction selectLoop()
{
    return [](const std::byte* const* in, std::byte* out, std::int64_t n, const ElementContext&) {
        const auto* chosen = reinterpret_cast<const std::uint8_t*>(in[0]);
        const T* a = reinterpret_cast<const T*>(in[1]);
        const T* b = reinterpret_cast<const T*>(in[2]);
        T* r = reinterpret_cast<T*>(out);
        for (std::int64_t i = 0; i < n; ++i)
            r[i] = chosen[i] != 0 ? a[i] : b[i];
    };
}

struct SixteenBytes {
    std::uint64_t low, high;
};

ElementFunction selectFunction(DType dtype)
{
    switch (byteSize(dtype)) {
    case 1:
        return selectLoop<std::uint8_t>();
    case 2:
        return selectLoop<std::uint16_t>();
    case 4:
        return selectLoop<std::uint32_t>();
    case 8:
        return selectLoop<std::uint64_t>();
    case 16:
        return selectLoop<SixteenBytes>();
    default:
        return nullptr;
    }
}

/// chlo's forms that spread their operands, as the operation that they spread for.
OpKind spreadKind(OpKind kind)
{
    switch (kind) {
    case OpKind::ChloBroadcastAdd:
        return OpKind::Add;
    case OpKind::ChloBroadcastAnd:
        return OpKind::And;
    case OpKind::ChloBroadcastAtan2:
        return OpKind::Atan2;
    case OpKind::ChloBroadcastCompare:
        return OpKind::Compare;
    case OpKind::ChloBroadcastComplex:
        return OpKind::Complex;
    case OpKind::ChloBroadcastDivide:
        return OpKind::Divide;
    case OpKind::ChloBroadcastMaximum:
        return OpKind::Maximum;
    case OpKind::ChloBroadcastMinimum:
        return OpKind::Minimum;
    case OpKind::ChloBroadcastMultiply:
        return OpKind::Multiply;
    case OpKind::ChloBroadcastNextAfter:
        return OpKind::ChloNextAfter;
    case OpKind::ChloBroadcastOr:
        return OpKind::Or;
    case OpKind::ChloBroadcastPolygamma:
        return OpKind::ChloPolygamma;
    case OpKind::ChloBroadcastPower:
        return OpKind::Power;
    case OpKind::ChloBroadcastRemainder:
        return OpKind::Remainder;
    case OpKind::ChloBroadcastSelect:
        return OpKind::Select;
    case OpKind::ChloBroadcastShiftLeft:
        return OpKind::ShiftLeft;
    case OpKind::ChloBroadcastShiftRightArithmetic:
        return OpKind::ShiftRightArithmetic;
    case OpKind::ChloBroadcastShiftRightLogical:
        return OpKind::ShiftRightLogical;
    case OpKind::ChloBroadcastSubtract:
        return OpKind::Subtract;
    case OpKind::ChloBroadcastXor:
        return OpKind::Xor;
    case OpKind::ChloBroadcastZeta:
        return OpKind::ChloZeta;
    default:
        return kind;
    }
}

/// Truth values: sums are "or", products "and".
OpKind logicalKind(OpKind kind)
{
    switch (kind) {
    case OpKind::Add:
    case OpKind::Maximum:
        return OpKind::Or;
    case OpKind::Subtract:
        return OpKind::Xor;
    case OpKind::Multiply:
    case OpKind::Minimum:
        return OpKind::And;
    default:
        return kind;
    }
}

ElementFunction logicalFunction(OpKind kind, const Attributes& attributes)
{
    if (kind == OpKind::Not)
        return unaryLoop<std::uint8_t, std::uint8_t>([](std::uint8_t a) { return a ^ 1; });
    switch (logicalKind(kind)) {
    case OpKind::And:
    case OpKind::Or:
    case OpKind::Xor:
    case OpKind::Compare:
    case OpKind::Clamp:
        return integerFunction(logicalKind(kind), DType::U8, attributes);
    default:
        return nullptr;
    }
}

/// The bits of narrow signed integers, which are kept with their sign.
void clearSigns(std::byte* values, std::int64_t n, unsigned bits)
{
    for (std::int64_t i = 0; i < n; ++i)
        values[i] &= static_cast<std::byte>((1U << bits) - 1);
}

} // namespace

void ElementKernel::run(const std::byte* const* in, std::byte* out, std::int64_t n) const
{
    if (n <= 0)
        return;
    if (!function) {
        convertElements(operands[0], in[0], result, out, n);
        return;
    }
    if (!adapts) {
        function(in, out, n, context);
        return;
    }
    alignas(16) std::array<std::array<std::byte, chunkElements * 8>, 3> widened;
    alignas(16) std::array<std::byte, chunkElements * 8> computed;
    const std::int64_t resultBytes = byteSize(result);
    for (std::int64_t first = 0; first < n; first += chunkElements) {
        const std::int64_t count = std::min(chunkElements, n - first);
        std::array<const std::byte*, 3> parts{};
        for (std::size_t i = 0; i < operandCount; ++i) {
            widen(operands[i], in[i] + first * byteSize(operands[i]), widened[i].data(), count);
            if (bitsOnly != 0)
                clearSigns(widened[i].data(), count, bitsOnly);
            parts[i] = widened[i].data();
        }
        if (result == DType::Pred) {
            function(parts.data(), out + first, count, context);
            continue;
        }
        function(parts.data(), computed.data(), count, context);
        narrow(result, computed.data(), out + first * resultBytes, count);
    }
}

std::optional<ElementKernel> elementKernel(
    OpKind kind, const Attributes& attributes, std::span<const DType> operands, DType result)
{
    if (operands.empty() || operands.size() > 3)
        return std::nullopt;
    kind = spreadKind(kind);
    ElementKernel kernel;
    kernel.operandCount = static_cast<std::uint8_t>(operands.size());
    std::copy(operands.begin(), operands.end(), kernel.operands.begin());
    kernel.result = result;
    if (kind == OpKind::Select) {
        kernel.function = operands.size() == 3 ? selectFunction(operands[1]) : nullptr;
        return kernel.function ? std::optional(kernel) : std::nullopt;
    }
    if (!isTensor(result) || !std::all_of(operands.begin(), operands.end(), isTensor))
        return std::nullopt;
    if (kind == OpKind::Convert)
        return kernel;
    if (isComplex(result) || std::any_of(operands.begin(), operands.end(), isComplex)) {
        kernel.function = complexFunction(kind, realPart(operands[0]), attributes);
        return kernel.function ? std::optional(kernel) : std::nullopt;
    }
    if (const auto* precision = attributesAs<ReducePrecisionAttributes>(attributes))
        kernel.context = { precision->exponentBits, precision->mantissaBits };
    const DType own = operands[0], computed = computeType(own);
    kernel.adapts = computed != own && own != DType::Pred;
    if (own == DType::Pred) {
        kernel.function = logicalFunction(kind, attributes);
    } else if (isFloat(own)) {
        kernel.function = floatFunction(kind, computed, attributes);
        if (!kernel.function)
            kernel.function = specialFunction(kind, computed);
    } else {
        kernel.function = integerFunction(kind, computed, attributes);
        const bool ofBits =
            kind == OpKind::ShiftRightLogical || kind == OpKind::PopulationCount || kind == OpKind::CountLeadingZeros;
        if (kernel.adapts && ofBits)
            kernel.bitsOnly = static_cast<std::uint8_t>(elementBits(own));
        if (kernel.adapts && kind == OpKind::CountLeadingZeros)
            kernel.context.mantissaBits = 8 - elementBits(own); // that are not there
    }
    // neighbours of a narrow float are not those of f32
    if (kind == OpKind::ChloNextAfter && kernel.adapts)
        kernel.context.mantissaBits = static_cast<std::int64_t>(own) + 1;
    return kernel.function ? std::optional(kernel) : std::nullopt;
}

std::optional<ElementKernel> elementKernel(const Program& program, const Operation& operation)
{
    if (operation.results.size() != 1 || operation.operands.empty() || operation.operands.size() > 3
        || !operation.regions.empty())
        return std::nullopt;
    std::array<DType, 3> operands{};
    for (std::size_t i = 0; i < operation.operands.size(); ++i)
        operands[i] = program.value(operation.operands[i]).type.dtype;
    return elementKernel(operation.kind, operation.attributes, { operands.data(), operation.operands.size() },
        program.value(operation.results[0]).type.dtype);
}

} // namespace shardscope::kernels

// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/element_types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "program/element_bits.h"
#include "simulate/kernels/array.h"

namespace shardscope::kernels {

namespace {

float fromBf16(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t toBf16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

float fromF16(std::uint16_t bits)
{
    const std::uint32_t sign = (bits & 0x8000U) << 16, exponent = bits >> 10 & 0x1FU, mantissa = bits & 0x3FFU;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7F800000U | mantissa << 13);
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
        return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

std::uint16_t toF16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U)
        return static_cast<std::uint16_t>(sign | 0x7E00U | (magnitude >> 13 & 0x3FFU));
    if (magnitude >= 0x47800000U) // 65536 and more
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    if (magnitude < 0x38800000U) { // below the smallest normal number: whole multiples of 2^-24
        const float steps = std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24F);
        return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(steps));
    }
    const std::uint32_t rounded = magnitude - (112U << 23) + 0xFFFU + (magnitude >> 13 & 1U);
    return static_cast<std::uint16_t>(sign | rounded >> 13);
}

/// All 256 values of a type of one byte.
const std::array<float, 256>& byteFloats(DType dtype)
{
    static const auto tables = [] {
        std::array<std::array<float, 256>, static_cast<std::size_t>(DType::Other) + 1> made{};
        for (std::size_t t = 0; t < made.size(); ++t) {
            const auto type = static_cast<DType>(t);
            if (!isFloat(type) || byteSize(type) != 1)
                continue;
            for (unsigned i = 0; i < 256; ++i) {
                const auto bits = static_cast<std::byte>(i);
                made[t][i] = static_cast<float>(floatAt(type, &bits));
            }
        }
        return made;
    }();
    return tables[static_cast<std::size_t>(dtype)];
}

template <class To, class From, class F>
void each(const std::byte* in, std::byte* out, std::int64_t count, F f)
{
    const From* from = reinterpret_cast<const From*>(in);
    To* to = reinterpret_cast<To*>(out);
    for (std::int64_t i = 0; i < count; ++i)
        to[i] = static_cast<To>(f(from[i]));
}

template <class To, class From>
void cast(const std::byte* in, std::byte* out, std::int64_t count)
{
    each<To, From>(in, out, count, [](From value) { return static_cast<To>(value); });
}

std::int64_t signExtended(std::int64_t value, int bits)
{
    const int shift = 64 - bits;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift) >> shift;
}

/// Integers as 64 bits, those of unsigned types without a sign.
void toIntegers(DType dtype, const std::byte* in, std::int64_t* out, std::int64_t count)
{
    auto* bytes = reinterpret_cast<std::byte*>(out);
    switch (dtype) {
    case DType::I2:
    case DType::I4:
    case DType::I8:
        return cast<std::int64_t, std::int8_t>(in, bytes, count);
    case DType::I16:
        return cast<std::int64_t, std::int16_t>(in, bytes, count);
    case DType::I32:
        return cast<std::int64_t, std::int32_t>(in, bytes, count);
    case DType::U16:
        return cast<std::int64_t, std::uint16_t>(in, bytes, count);
    case DType::U32:
        return cast<std::int64_t, std::uint32_t>(in, bytes, count);
    case DType::I64:
    case DType::U64:
        std::memcpy(out, in, static_cast<std::size_t>(count) * 8);
        return;
    default:
        return cast<std::int64_t, std::uint8_t>(in, bytes, count);
    }
}

void fromIntegers(DType dtype, const std::int64_t* in, std::byte* out, std::int64_t count)
{
    const auto* bytes = reinterpret_cast<const std::byte*>(in);
    switch (dtype) {
    case DType::Pred:
        return each<std::uint8_t, std::int64_t>(bytes, out, count, [](std::int64_t v) { return v != 0 ? 1 : 0; });
    case DType::I2:
        return each<std::int8_t, std::int64_t>(bytes, out, count, [](std::int64_t v) { return signExtended(v, 2); });
    case DType::I4:
        return each<std::int8_t, std::int64_t>(bytes, out, count, [](std::int64_t v) { return signExtended(v, 4); });
    case DType::U2:
        return each<std::uint8_t, std::int64_t>(bytes, out, count, [](std::int64_t v) { return v & 3; });
    case DType::U4:
        return each<std::uint8_t, std::int64_t>(bytes, out, count, [](std::int64_t v) { return v & 15; });
    case DType::I8:
    case DType::U8:
        return cast<std::uint8_t, std::int64_t>(bytes, out, count);
    case DType::I16:
    case DType::U16:
        return cast<std::uint16_t, std::int64_t>(bytes, out, count);
    case DType::I32:
    case DType::U32:
        return cast<std::uint32_t, std::int64_t>(bytes, out, count);
    default:
        std::memcpy(out, in, static_cast<std::size_t>(count) * 8);
        return;
    }
}

constexpr std::int64_t chunk = 256;

/// Every `from`th element to every `to`th place.
void spread(
    std::int64_t bytes, const std::byte* in, std::int64_t from, std::byte* out, std::int64_t to, std::int64_t count)
{
    copyBox({ &count, 1 }, out, { &to, 1 }, in, { &from, 1 }, bytes);
}

/// f(first, count) for runs of at most `chunk` elements.
template <class F>
void inChunks(std::int64_t count, F f)
{
    for (std::int64_t i = 0; i < count; i += chunk)
        f(i, std::min(chunk, count - i));
}

} // namespace

DType computeType(DType dtype)
{
    if (isFloat(dtype))
        return dtype == DType::F64 ? DType::F64 : DType::F32;
    switch (dtype) {
    case DType::Pred:
    case DType::U2:
    case DType::U4:
        return DType::U8;
    case DType::I2:
    case DType::I4:
        return DType::I8;
    default:
        return dtype;
    }
}

void widen(DType dtype, const std::byte* in, std::byte* out, std::int64_t count)
{
    switch (dtype) {
    case DType::BF16:
        return each<float, std::uint16_t>(in, out, count, fromBf16);
    case DType::F16:
        return each<float, std::uint16_t>(in, out, count, fromF16);
    default:
        break;
    }
    if (isFloat(dtype) && byteSize(dtype) == 1) {
        const std::array<float, 256>& table = byteFloats(dtype);
        return each<float, std::uint8_t>(in, out, count, [&](std::uint8_t bits) { return table[bits]; });
    }
    if (count > 0)
        std::memcpy(out, in, static_cast<std::size_t>(count * byteSize(dtype)));
}

void narrow(DType dtype, const std::byte* in, std::byte* out, std::int64_t count)
{
    switch (dtype) {
    case DType::BF16:
        return each<std::uint16_t, float>(in, out, count, toBf16);
    case DType::F16:
        return each<std::uint16_t, float>(in, out, count, toF16);
    case DType::I2:
        return each<std::int8_t, std::int8_t>(in, out, count, [](std::int8_t v) { return signExtended(v, 2); });
    case DType::I4:
        return each<std::int8_t, std::int8_t>(in, out, count, [](std::int8_t v) { return signExtended(v, 4); });
    case DType::U2:
        return each<std::uint8_t, std::uint8_t>(in, out, count, [](std::uint8_t v) { return v & 3; });
    case DType::U4:
        return each<std::uint8_t, std::uint8_t>(in, out, count, [](std::uint8_t v) { return v & 15; });
    default:
        break;
    }
    if (isFloat(dtype) && byteSize(dtype) == 1) {
        const float* values = reinterpret_cast<const float*>(in);
        for (std::int64_t i = 0; i < count; ++i)
            storeFloat(dtype, static_cast<double>(values[i]), out + i);
        return;
    }
    if (count > 0)
        std::memcpy(out, in, static_cast<std::size_t>(count * byteSize(dtype)));
}

void toDoubles(DType dtype, const std::byte* in, double* out, std::int64_t count)
{
    auto* bytes = reinterpret_cast<std::byte*>(out);
    if (dtype == DType::F64) {
        std::memcpy(out, in, static_cast<std::size_t>(count) * 8);
        return;
    }
    if (dtype == DType::F32)
        return cast<double, float>(in, bytes, count);
    std::array<float, chunk> widened;
    inChunks(count, [&](std::int64_t first, std::int64_t n) {
        widen(dtype, in + first * byteSize(dtype), reinterpret_cast<std::byte*>(widened.data()), n);
        for (std::int64_t i = 0; i < n; ++i)
            out[first + i] = static_cast<double>(widened[static_cast<std::size_t>(i)]);
    });
}

void fromDoubles(DType dtype, const double* in, std::byte* out, std::int64_t count)
{
    const auto* bytes = reinterpret_cast<const std::byte*>(in);
    if (dtype == DType::F64) {
        std::memcpy(out, in, static_cast<std::size_t>(count) * 8);
        return;
    }
    if (dtype == DType::F32)
        return each<float, double>(bytes, out, count, [](double v) { return static_cast<float>(v); });
    for (std::int64_t i = 0; i < count; ++i)
        storeFloat(dtype, in[i], out + i * byteSize(dtype));
}

void storeWrapped(DType integer, std::int64_t value, std::byte* out)
{
    fromIntegers(integer, &value, out, 1);
}

void storeRounded(DType integer, double value, std::byte* out)
{
    std::int64_t integral = 0;
    if (integer == DType::Pred) {
        integral = value != 0 ? 1 : 0; // NaN is not 0
    } else if (!std::isnan(value)) {
        const int bits = elementBits(integer);
        const double truncated = std::trunc(value);
        if (isUnsignedInteger(integer)) {
            const double end = std::ldexp(1.0, bits);
            const std::uint64_t largest = ~std::uint64_t{ 0 } >> (64 - bits);
            integral = static_cast<std::int64_t>(truncated <= 0 ? 0
                    : truncated >= end                          ? largest
                                                                : static_cast<std::uint64_t>(truncated));
        } else {
            const double end = std::ldexp(1.0, bits - 1);
            const std::int64_t largest = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
            integral = truncated < -end ? -largest - 1
                : truncated >= end      ? largest
                                        : static_cast<std::int64_t>(truncated);
        }
    }
    fromIntegers(integer, &integral, out, 1);
}

void convertElements(DType from, const std::byte* in, DType to, std::byte* out, std::int64_t count)
{
    const std::int64_t fromBytes = byteSize(from), toBytes = byteSize(to);
    if (from == to) {
        if (count > 0)
            std::memcpy(out, in, static_cast<std::size_t>(count * fromBytes));
        return;
    }
    if (count == 0)
        return;
    if (isComplex(from) && isComplex(to))
        return convertElements(realPart(from), in, realPart(to), out, 2 * count);
    if (isComplex(from)) {
        const std::int64_t bytes = fromBytes / 2;
        std::vector<std::byte> parts(static_cast<std::size_t>(count * bytes));
        spread(bytes, in, 2, parts.data(), 1, count);
        return convertElements(realPart(from), parts.data(), to, out, count);
    }
    if (isComplex(to)) {
        const std::int64_t bytes = toBytes / 2;
        std::vector<std::byte> parts(static_cast<std::size_t>(count * bytes));
        convertElements(from, in, realPart(to), parts.data(), count);
        std::memset(out, 0, static_cast<std::size_t>(count * toBytes));
        return spread(bytes, parts.data(), 1, out, 2, count);
    }
    std::array<double, chunk> doubles;
    std::array<std::int64_t, chunk> integers;
    inChunks(count, [&](std::int64_t first, std::int64_t n) {
        const std::byte* source = in + first * fromBytes;
        std::byte* target = out + first * toBytes;
        if (isFloat(from)) {
            toDoubles(from, source, doubles.data(), n);
            if (isFloat(to))
                return fromDoubles(to, doubles.data(), target, n);
            for (std::int64_t i = 0; i < n; ++i)
                storeRounded(to, doubles[static_cast<std::size_t>(i)], target + i * toBytes);
            return;
        }
        toIntegers(from, source, integers.data(), n);
        if (!isFloat(to))
            return fromIntegers(to, integers.data(), target, n);
        const bool isUnsigned = isUnsignedInteger(from);
        if (to == DType::F32) { // rounded once
            float* floats = reinterpret_cast<float*>(target);
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int64_t v = integers[static_cast<std::size_t>(i)];
                floats[i] = isUnsigned ? static_cast<float>(static_cast<std::uint64_t>(v)) : static_cast<float>(v);
            }
            return;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t v = integers[static_cast<std::size_t>(i)];
            doubles[static_cast<std::size_t>(i)] =
                isUnsigned ? static_cast<double>(static_cast<std::uint64_t>(v)) : static_cast<double>(v);
        }
        fromDoubles(to, doubles.data(), target, n);
    });
}

} // namespace shardscope::kernels

// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/element_bits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace shardscope {

namespace {

/// What is above the largest finite number of a small type.
enum class Top : std::uint8_t {
    Infinity, ///< as in IEEE 754
    OneNaN, ///< only all ones is NaN, and there is no infinity
    NegativeZeroNaN, ///< the bits of -0 are the one NaN
    None ///< every pattern is finite
};
struct SmallFloat {
    DType dtype;
    int exponentBits, mantissaBits, bias;
    Top top;
};
constexpr std::array smallFloats{
    SmallFloat{ DType::F16, 5, 10, 15, Top::Infinity },
    SmallFloat{ DType::BF16, 8, 7, 127, Top::Infinity },
    SmallFloat{ DType::F8E3M4, 3, 4, 3, Top::Infinity },
    SmallFloat{ DType::F8E4M3, 4, 3, 7, Top::Infinity },
    SmallFloat{ DType::F8E5M2, 5, 2, 15, Top::Infinity },
    SmallFloat{ DType::F8E4M3FN, 4, 3, 7, Top::OneNaN },
    SmallFloat{ DType::F8E4M3FNUZ, 4, 3, 8, Top::NegativeZeroNaN },
    SmallFloat{ DType::F8E4M3B11FNUZ, 4, 3, 11, Top::NegativeZeroNaN },
    SmallFloat{ DType::F8E5M2FNUZ, 5, 2, 16, Top::NegativeZeroNaN },
    SmallFloat{ DType::F6E2M3FN, 2, 3, 1, Top::None },
    SmallFloat{ DType::F6E3M2FN, 3, 2, 3, Top::None },
    SmallFloat{ DType::F4E2M1FN, 2, 1, 1, Top::None },
};

const SmallFloat* smallFloat(DType dtype)
{
    for (const SmallFloat& row : smallFloats)
        if (row.dtype == dtype)
            return &row;
    return nullptr;
}

double decode(const SmallFloat& f, std::uint32_t bits)
{
    const std::uint32_t mantissaMask = (1U << f.mantissaBits) - 1, exponentMask = (1U << f.exponentBits) - 1;
    const std::uint32_t mantissa = bits & mantissaMask, exponent = bits >> f.mantissaBits & exponentMask;
    const bool negative = (bits >> (f.mantissaBits + f.exponentBits) & 1U) != 0;
    const double sign = negative ? -1 : 1;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (f.top == Top::NegativeZeroNaN && negative && exponent == 0 && mantissa == 0)
        return nan;
    if (f.top == Top::OneNaN && exponent == exponentMask && mantissa == mantissaMask)
        return nan;
    if (f.top == Top::Infinity && exponent == exponentMask)
        return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : nan;
    const int scale = std::max(static_cast<int>(exponent), 1) - f.bias - f.mantissaBits;
    return sign * std::ldexp(static_cast<double>(mantissa + (exponent == 0 ? 0U : mantissaMask + 1)), scale);
}

std::uint32_t encode(const SmallFloat& f, double value)
{
    const std::uint32_t sign = std::signbit(value) ? 1U << (f.mantissaBits + f.exponentBits) : 0;
    const std::uint32_t magnitudeMask = (1U << (f.mantissaBits + f.exponentBits)) - 1;
    const std::uint32_t infinity = magnitudeMask & ~((1U << f.mantissaBits) - 1);
    if (std::isnan(value))
        return f.top == Top::Infinity ? sign | infinity | 1U << (f.mantissaBits - 1)
            : f.top == Top::OneNaN    ? sign | magnitudeMask
                                      : 1U << (f.mantissaBits + f.exponentBits);
    const std::uint32_t beyond = f.top == Top::Infinity ? sign | infinity
        : f.top == Top::OneNaN                          ? sign | magnitudeMask
        : f.top == Top::NegativeZeroNaN                 ? 1U << (f.mantissaBits + f.exponentBits)
                                                        : sign | magnitudeMask;
    if (std::isinf(value))
        return beyond;
    const double magnitude = std::fabs(value);
    if (magnitude == 0)
        return f.top == Top::NegativeZeroNaN ? 0 : sign;
    // Whole multiples of the distance between neighbours; rounding up may reach the next power of two, which the sum
    // below takes care of.
    const int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
    if (exponent > (1 << f.exponentBits))
        return beyond;
    const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, f.mantissaBits - exponent)));
    const std::uint32_t hidden = 1U << f.mantissaBits;
    const std::uint32_t bits =
        steps < hidden ? steps : (static_cast<std::uint32_t>(exponent + f.bias) << f.mantissaBits) + (steps - hidden);
    if (bits == 0)
        return f.top == Top::NegativeZeroNaN ? 0 : sign;
    const bool finite = bits <= magnitudeMask && (f.top != Top::Infinity || bits < infinity)
        && (f.top != Top::OneNaN || bits < magnitudeMask);
    return finite ? sign | bits : beyond;
}

template <class T>
T load(const std::byte* bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

} // namespace

int elementBits(DType dtype)
{
    switch (dtype) {
    case DType::Pred:
        return 1;
    case DType::I2:
    case DType::U2:
        return 2;
    case DType::I4:
    case DType::U4:
    case DType::F4E2M1FN:
        return 4;
    case DType::F6E2M3FN:
    case DType::F6E3M2FN:
        return 6;
    default:
        return static_cast<int>(8 * byteSize(dtype));
    }
}

bool isUnsignedInteger(DType dtype)
{
    switch (dtype) {
    case DType::U2:
    case DType::U4:
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64:
        return true;
    default:
        return false;
    }
}

double floatAt(DType dtype, const std::byte* bytes)
{
    if (dtype == DType::F32)
        return static_cast<double>(load<float>(bytes));
    if (dtype == DType::F64)
        return load<double>(bytes);
    const SmallFloat* f = smallFloat(dtype);
    if (f && byteSize(dtype) == 2)
        return decode(*f, load<std::uint16_t>(bytes));
    if (f)
        return decode(*f, load<std::uint8_t>(bytes));
    const auto exponent = load<std::uint8_t>(bytes); // F8E8M0FNU: powers of two
    return exponent == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, exponent - 127);
}

void storeFloat(DType dtype, double value, std::byte* bytes)
{
    if (dtype == DType::F32) {
        const auto narrow = static_cast<float>(value);
        std::memcpy(bytes, &narrow, sizeof narrow);
    } else if (dtype == DType::F64) {
        std::memcpy(bytes, &value, sizeof value);
    } else if (const SmallFloat* f = smallFloat(dtype)) {
        const std::uint32_t bits = encode(*f, value);
        bytes[0] = static_cast<std::byte>(bits & 255U);
        if (byteSize(dtype) == 2)
            bytes[1] = static_cast<std::byte>(bits >> 8);
    } else {
        const double exponent = value > 0 && std::isfinite(value) ? std::nearbyint(std::log2(value)) + 127 : 255;
        bytes[0] = static_cast<std::byte>(exponent < 0 ? 0 : exponent > 255 ? 255 : static_cast<int>(exponent));
    }
}

std::int64_t integerAt(DType dtype, const std::byte* bytes)
{
    const bool isUnsigned = isUnsignedInteger(dtype);
    switch (byteSize(dtype)) {
    case 1:
        return isUnsigned ? load<std::uint8_t>(bytes) : load<std::int8_t>(bytes);
    case 2:
        return isUnsigned ? load<std::uint16_t>(bytes) : load<std::int16_t>(bytes);
    case 4:
        return isUnsigned ? std::int64_t{ load<std::uint32_t>(bytes) } : std::int64_t{ load<std::int32_t>(bytes) };
    default:
        return load<std::int64_t>(bytes);
    }
}

} // namespace shardscope

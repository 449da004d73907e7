// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations on floating point numbers. Transcendental functions of f32 are computed in double and rounded.
// Declared in elementwise.h.
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "simulate/kernels/elementwise.h"

namespace shardscope::kernels {

namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// IEEE 754's total order as an order of integers: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN.
template <class T>
Bits<T> ordered(T value)
{
    const auto bits = std::bit_cast<Bits<T>>(value);
    return bits < 0 ? bits ^ std::numeric_limits<Bits<T>>::max() : bits;
}

template <class T, class F>
ElementFunction compareLoop(bool total, F)
{
    if (total)
        return binaryLoop<std::uint8_t, T>([](T a, T b) { return F()(ordered(a), ordered(b)); });
    return binaryLoop<std::uint8_t, T>([](T a, T b) { return F()(a, b); });
}

template <class T>
ElementFunction compare(const CompareAttributes& own)
{
    const bool total = own.type == CompareType::TotalOrder;
    switch (own.direction) {
    case Comparison::Equal:
        return compareLoop<T>(total, [](auto a, auto b) { return a == b; });
    case Comparison::NotEqual:
        return compareLoop<T>(total, [](auto a, auto b) { return a != b; });
    case Comparison::Less:
        return compareLoop<T>(total, [](auto a, auto b) { return a < b; });
    case Comparison::LessEqual:
        return compareLoop<T>(total, [](auto a, auto b) { return a <= b; });
    case Comparison::Greater:
        return compareLoop<T>(total, [](auto a, auto b) { return a > b; });
    default:
        return compareLoop<T>(total, [](auto a, auto b) { return a >= b; });
    }
}

template <class T>
T maximum(T a, T b)
{
    if (std::isnan(a) || std::isnan(b))
        return a + b;
    if (a == b)
        return std::signbit(a) ? b : a;
    return a > b ? a : b;
}
template <class T>
T minimum(T a, T b)
{
    if (std::isnan(a) || std::isnan(b))
        return a + b;
    if (a == b)
        return std::signbit(a) ? a : b;
    return a < b ? a : b;
}

/// Rounds to so many bits of exponent and mantissa.
template <class T>
T reduced(T value, const ElementContext& context)
{
    using U = std::make_unsigned_t<Bits<T>>;
    constexpr int mantissa = std::numeric_limits<T>::digits - 1;
    constexpr int exponent = static_cast<int>(sizeof(T)) * 8 - 1 - mantissa;
    if (std::isnan(value))
        return value;
    U bits = std::bit_cast<U>(value);
    const U sign = bits & (U{ 1 } << (sizeof(T) * 8 - 1));
    U magnitude = bits ^ sign;
    if (context.mantissaBits < mantissa) {
        const int dropped = mantissa - static_cast<int>(context.mantissaBits);
        const U last = U{ 1 } << dropped;
        const U bias = ((magnitude & last) >> dropped) + (last >> 1) - 1;
        magnitude = static_cast<U>(magnitude + bias) & ~(last - 1);
    }
    if (context.exponentBits < exponent) {
        const U bias = (U{ 1 } << (exponent - 1)) - 1, small = (U{ 1 } << (context.exponentBits - 1)) - 1;
        const U field = magnitude >> mantissa;
        if (field > bias + small)
            magnitude = ((U{ 1 } << exponent) - 1) << mantissa; // infinity
        else if (field <= bias - small)
            magnitude = 0;
    }
    return std::bit_cast<T>(static_cast<U>(sign | magnitude));
}

/// `F` of a double, rounded to T.
template <class T, class F>
ElementFunction inDouble(F)
{
    return unaryLoop<T, T>([](T a) { return F()(static_cast<double>(a)); });
}
template <class T, class F>
ElementFunction inDouble2(F)
{
    return binaryLoop<T, T>([](T a, T b) { return F()(static_cast<double>(a), static_cast<double>(b)); });
}

template <class T>
ElementFunction unary(OpKind kind)
{
    switch (kind) {
    case OpKind::Abs:
        return unaryLoop<T, T>([](T a) { return std::fabs(a); });
    case OpKind::Negate:
        return unaryLoop<T, T>([](T a) { return -a; });
    case OpKind::Sign:
        return unaryLoop<T, T>([](T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a; });
    case OpKind::Sqrt:
        return unaryLoop<T, T>([](T a) { return std::sqrt(a); });
    case OpKind::Rsqrt:
        return inDouble<T>([](double a) { return 1 / std::sqrt(a); });
    case OpKind::Cbrt:
        return inDouble<T>([](double a) { return std::cbrt(a); });
    case OpKind::Exponential:
        return inDouble<T>([](double a) { return std::exp(a); });
    case OpKind::ExponentialMinusOne:
        return inDouble<T>([](double a) { return std::expm1(a); });
    case OpKind::Log:
        return inDouble<T>([](double a) { return std::log(a); });
    case OpKind::LogPlusOne:
        return inDouble<T>([](double a) { return std::log1p(a); });
    case OpKind::Logistic:
        return inDouble<T>([](double a) { return 1 / (1 + std::exp(-a)); });
    case OpKind::Tanh:
        return inDouble<T>([](double a) { return std::tanh(a); });
    case OpKind::Sine:
        return inDouble<T>([](double a) { return std::sin(a); });
    case OpKind::Cosine:
        return inDouble<T>([](double a) { return std::cos(a); });
    case OpKind::Tan:
    case OpKind::ChloTan:
        return inDouble<T>([](double a) { return std::tan(a); });
    case OpKind::ChloAcos:
        return inDouble<T>([](double a) { return std::acos(a); });
    case OpKind::ChloAcosh:
        return inDouble<T>([](double a) { return std::acosh(a); });
    case OpKind::ChloAsin:
        return inDouble<T>([](double a) { return std::asin(a); });
    case OpKind::ChloAsinh:
        return inDouble<T>([](double a) { return std::asinh(a); });
    case OpKind::ChloAtan:
        return inDouble<T>([](double a) { return std::atan(a); });
    case OpKind::ChloAtanh:
        return inDouble<T>([](double a) { return std::atanh(a); });
    case OpKind::ChloCosh:
        return inDouble<T>([](double a) { return std::cosh(a); });
    case OpKind::ChloSinh:
        return inDouble<T>([](double a) { return std::sinh(a); });
    case OpKind::ChloErf:
        return inDouble<T>([](double a) { return std::erf(a); });
    case OpKind::ChloErfc:
        return inDouble<T>([](double a) { return std::erfc(a); });
    case OpKind::ChloSquare:
        return unaryLoop<T, T>([](T a) { return a * a; });
    case OpKind::ChloConj:
    case OpKind::Real:
        return unaryLoop<T, T>([](T a) { return a; });
    case OpKind::Imag:
        return unaryLoop<T, T>([](T) { return T(0); });
    case OpKind::Ceil:
        return unaryLoop<T, T>([](T a) { return std::ceil(a); });
    case OpKind::Floor:
        return unaryLoop<T, T>([](T a) { return std::floor(a); });
    case OpKind::RoundNearestAfz:
        return unaryLoop<T, T>([](T a) { return std::round(a); });
    case OpKind::RoundNearestEven:
        return unaryLoop<T, T>([](T a) { return std::nearbyint(a); });
    case OpKind::IsFinite:
        return unaryLoop<std::uint8_t, T>([](T a) { return std::isfinite(a); });
    case OpKind::ChloIsInf:
        return unaryLoop<std::uint8_t, T>([](T a) { return std::isinf(a); });
    case OpKind::ChloIsPosInf:
        return unaryLoop<std::uint8_t, T>([](T a) { return std::isinf(a) && a > 0; });
    case OpKind::ChloIsNegInf:
        return unaryLoop<std::uint8_t, T>([](T a) { return std::isinf(a) && a < 0; });
    case OpKind::ReducePrecision:
        return [](const std::byte* const* in, std::byte* out, std::int64_t n, const ElementContext& context) {
            const T* a = reinterpret_cast<const T*>(in[0]);
            T* r = reinterpret_cast<T*>(out);
            for (std::int64_t i = 0; i < n; ++i)
                r[i] = reduced(a[i], context);
        };
    default:
        return nullptr;
    }
}

template <class T>
ElementFunction binary(OpKind kind)
{
    switch (kind) {
    case OpKind::Add:
        return binaryLoop<T, T>([](T a, T b) { return a + b; });
    case OpKind::Subtract:
        return binaryLoop<T, T>([](T a, T b) { return a - b; });
    case OpKind::Multiply:
        return binaryLoop<T, T>([](T a, T b) { return a * b; });
    case OpKind::Divide:
        return binaryLoop<T, T>([](T a, T b) { return a / b; });
    case OpKind::Remainder:
        return binaryLoop<T, T>([](T a, T b) { return std::fmod(a, b); });
    case OpKind::Maximum:
        return binaryLoop<T, T>([](T a, T b) { return maximum(a, b); });
    case OpKind::Minimum:
        return binaryLoop<T, T>([](T a, T b) { return minimum(a, b); });
    case OpKind::Power:
        return inDouble2<T>([](double a, double b) { return std::pow(a, b); });
    case OpKind::Atan2:
        return inDouble2<T>([](double a, double b) { return std::atan2(a, b); });
    case OpKind::Clamp: // least, value, most
        return [](const std::byte* const* in, std::byte* out, std::int64_t n, const ElementContext&) {
            const T* least = reinterpret_cast<const T*>(in[0]);
            const T* value = reinterpret_cast<const T*>(in[1]);
            const T* most = reinterpret_cast<const T*>(in[2]);
            T* r = reinterpret_cast<T*>(out);
            for (std::int64_t i = 0; i < n; ++i)
                r[i] = minimum(maximum(value[i], least[i]), most[i]);
        };
    default:
        return nullptr;
    }
}

template <class T>
ElementFunction functionOf(OpKind kind, const Attributes& attributes)
{
    if (kind == OpKind::Compare || kind == OpKind::ChloBroadcastCompare) {
        const auto* own = std::get_if<CompareAttributes>(&attributes);
        return compare<T>(own ? *own : CompareAttributes{});
    }
    const ElementFunction found = unary<T>(kind);
    return found ? found : binary<T>(kind);
}

} // namespace

ElementFunction floatFunction(OpKind kind, DType computed, const Attributes& attributes)
{
    return computed == DType::F64 ? functionOf<double>(kind, attributes) : functionOf<float>(kind, attributes);
}

} // namespace shardscope::kernels

// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise operations on complex numbers. Sums and products are computed in the type of the parts, functions in
// double and rounded.
// Declared in elementwise.h.
#include <cmath>
#include <complex>

#include "simulate/kernels/elementwise.h"

namespace shardscope::kernels {

namespace {

using InDouble = std::complex<double>;

template <class T>
InDouble inDouble(std::complex<T> a)
{
    return InDouble(a);
}

/// Accurate where the result is near zero.
InDouble exponentialMinusOne(InDouble a)
{
    const double sine = std::sin(a.imag() / 2);
    return { std::expm1(a.real()) * std::cos(a.imag()) - 2 * sine * sine, std::exp(a.real()) * std::sin(a.imag()) };
}
InDouble logPlusOne(InDouble a)
{
    const double more = a.real() * (2 + a.real()) + a.imag() * a.imag(); // |1 + a|^2 - 1
    const double modulus = std::fabs(more) < 0.5 ? std::log1p(more) / 2 : std::log(std::hypot(1 + a.real(), a.imag()));
    return { modulus, std::atan2(a.imag(), 1 + a.real()) };
}

InDouble sign(InDouble a)
{
    return a == 0.0 ? InDouble() : a / std::abs(a);
}

/// The principal root: that with the least angle.
InDouble cubeRoot(InDouble a)
{
    return a == 0.0 ? InDouble() : std::polar(std::cbrt(std::abs(a)), std::arg(a) / 3);
}

InDouble power(InDouble a, InDouble b)
{
    if (b == 0.0)
        return 1;
    if (a == 0.0 && b.real() > 0)
        return {};
    return std::exp(b * std::log(a));
}

/// atan2(y, x) = -i log((x + i y) / sqrt(x^2 + y^2))
InDouble arcTangent(InDouble y, InDouble x)
{
    const InDouble i(0, 1);
    return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

/// By real parts, and by imaginary ones where those are equal.
template <class T>
bool isLess(std::complex<T> a, std::complex<T> b)
{
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}
template <class T>
bool isNan(std::complex<T> a)
{
    return std::isnan(a.real()) || std::isnan(a.imag());
}

template <class T>
ElementFunction complexUnary(OpKind kind)
{
    using C = std::complex<T>;
    switch (kind) {
    case OpKind::Abs:
        return unaryLoop<T, C>([](C a) { return std::hypot(a.real(), a.imag()); });
    case OpKind::Real:
        return unaryLoop<T, C>([](C a) { return a.real(); });
    case OpKind::Imag:
        return unaryLoop<T, C>([](C a) { return a.imag(); });
    case OpKind::Negate:
        return unaryLoop<C, C>([](C a) { return -a; });
    case OpKind::ChloConj:
        return unaryLoop<C, C>([](C a) { return std::conj(a); });
    case OpKind::ChloSquare:
        return unaryLoop<C, C>([](C a) { return a * a; });
    case OpKind::Sign:
        return unaryLoop<C, C>([](C a) { return sign(inDouble(a)); });
    case OpKind::Sqrt:
        return unaryLoop<C, C>([](C a) { return std::sqrt(inDouble(a)); });
    case OpKind::Rsqrt:
        return unaryLoop<C, C>([](C a) { return 1.0 / std::sqrt(inDouble(a)); });
    case OpKind::Cbrt:
        return unaryLoop<C, C>([](C a) { return cubeRoot(inDouble(a)); });
    case OpKind::Exponential:
        return unaryLoop<C, C>([](C a) { return std::exp(inDouble(a)); });
    case OpKind::ExponentialMinusOne:
        return unaryLoop<C, C>([](C a) { return exponentialMinusOne(inDouble(a)); });
    case OpKind::Log:
        return unaryLoop<C, C>([](C a) { return std::log(inDouble(a)); });
    case OpKind::LogPlusOne:
        return unaryLoop<C, C>([](C a) { return logPlusOne(inDouble(a)); });
    case OpKind::Logistic:
        return unaryLoop<C, C>([](C a) { return 1.0 / (1.0 + std::exp(-inDouble(a))); });
    case OpKind::Tanh:
        return unaryLoop<C, C>([](C a) { return std::tanh(inDouble(a)); });
    case OpKind::Sine:
        return unaryLoop<C, C>([](C a) { return std::sin(inDouble(a)); });
    case OpKind::Cosine:
        return unaryLoop<C, C>([](C a) { return std::cos(inDouble(a)); });
    case OpKind::Tan:
    case OpKind::ChloTan:
        return unaryLoop<C, C>([](C a) { return std::tan(inDouble(a)); });
    case OpKind::ChloAcos:
        return unaryLoop<C, C>([](C a) { return std::acos(inDouble(a)); });
    case OpKind::ChloAcosh:
        return unaryLoop<C, C>([](C a) { return std::acosh(inDouble(a)); });
    case OpKind::ChloAsin:
        return unaryLoop<C, C>([](C a) { return std::asin(inDouble(a)); });
    case OpKind::ChloAsinh:
        return unaryLoop<C, C>([](C a) { return std::asinh(inDouble(a)); });
    case OpKind::ChloAtan:
        return unaryLoop<C, C>([](C a) { return std::atan(inDouble(a)); });
    case OpKind::ChloAtanh:
        return unaryLoop<C, C>([](C a) { return std::atanh(inDouble(a)); });
    case OpKind::ChloCosh:
        return unaryLoop<C, C>([](C a) { return std::cosh(inDouble(a)); });
    case OpKind::ChloSinh:
        return unaryLoop<C, C>([](C a) { return std::sinh(inDouble(a)); });
    default:
        return nullptr;
    }
}

template <class T>
ElementFunction complexBinary(OpKind kind)
{
    using C = std::complex<T>;
    switch (kind) {
    case OpKind::Complex:
        return binaryLoop<C, T>([](T a, T b) { return C(a, b); });
    case OpKind::Add:
        return binaryLoop<C, C>([](C a, C b) { return a + b; });
    case OpKind::Subtract:
        return binaryLoop<C, C>([](C a, C b) { return a - b; });
    case OpKind::Multiply:
        return binaryLoop<C, C>([](C a, C b) { return a * b; });
    case OpKind::Divide:
        return binaryLoop<C, C>([](C a, C b) { return a / b; });
    case OpKind::Maximum:
        return binaryLoop<C, C>([](C a, C b) { return isNan(a) || (!isNan(b) && isLess(b, a)) ? a : b; });
    case OpKind::Minimum:
        return binaryLoop<C, C>([](C a, C b) { return isNan(a) || (!isNan(b) && isLess(a, b)) ? a : b; });
    case OpKind::Power:
        return binaryLoop<C, C>([](C a, C b) { return power(inDouble(a), inDouble(b)); });
    case OpKind::Atan2:
        return binaryLoop<C, C>([](C a, C b) { return arcTangent(inDouble(a), inDouble(b)); });
    default:
        return nullptr;
    }
}

/// Complex numbers have no order.
template <class T>
ElementFunction complexCompare(Comparison direction)
{
    using C = std::complex<T>;
    if (direction == Comparison::Equal)
        return binaryLoop<std::uint8_t, C>([](C a, C b) { return a == b; });
    if (direction == Comparison::NotEqual)
        return binaryLoop<std::uint8_t, C>([](C a, C b) { return a != b; });
    return nullptr;
}

template <class T>
ElementFunction complexFunctionOf(OpKind kind, const Attributes& attributes)
{
    if (kind == OpKind::Compare || kind == OpKind::ChloBroadcastCompare) {
        const auto* own = std::get_if<CompareAttributes>(&attributes);
        return own ? complexCompare<T>(own->direction) : nullptr;
    }
    const ElementFunction unary = complexUnary<T>(kind);
    return unary ? unary : complexBinary<T>(kind);
}

} // namespace

ElementFunction complexFunction(OpKind kind, DType part, const Attributes& attributes)
{
    return part == DType::F64 ? complexFunctionOf<double>(kind, attributes)
                              : complexFunctionOf<float>(kind, attributes);
}

} // namespace shardscope::kernels

// SPDX-License-Identifier: GPL-3.0-or-later
// Special functions, computed in more digits than any element type has and rounded once.
// Declared in elementwise.h.
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include <math.h>

#include "simulate/kernels/element_types.h"
#include "simulate/kernels/elementwise.h"

namespace shardscope::kernels {

namespace {

using Real = long double;
constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real pi = std::numbers::pi_v<Real>;

/// Bernoulli numbers B2, B4, ... over (2k)!: of the Euler-Maclaurin sums.
constexpr Real bernoulli[] = { 1.0L / 6, -1.0L / 30, 1.0L / 42, -1.0L / 30, 5.0L / 66, -691.0L / 2730, 7.0L / 6,
    -3617.0L / 510, 43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730 };

Real logGamma(Real x)
{
    if (std::isinf(x))
        return infinity;
    int sign = 0;
    return ::lgammal_r(x, &sign); // std::lgamma writes to a variable that all threads share
}

Real digamma(Real x)
{
    if (std::isnan(x) || x == -infinity)
        return nan;
    if (x <= 0 && x == std::floor(x))
        return nan;
    Real result = 0;
    if (x < 0) {
        result = -pi / std::tan(pi * (x - std::floor(x)));
        x = 1 - x;
    }
    while (x < 20) {
        result -= 1 / x;
        x += 1;
    }
    const Real square = 1 / (x * x);
    Real power = square;
    Real series = 0;
    for (int k = 1; k <= 12; ++k, power *= square)
        series += bernoulli[k - 1] / (2 * k) * power;
    return result + std::log(x) - 1 / (2 * x) - series;
}

/// Hurwitz' zeta(x, q): the sum of (q + k)^-x.
Real zeta(Real x, Real q)
{
    if (std::isnan(x) || std::isnan(q))
        return nan;
    if (x == 1)
        return infinity;
    if (x < 1)
        return nan;
    if (q <= 0) {
        if (q == std::floor(q))
            return std::fmod(x, Real{ 2 }) == 0 ? infinity : nan;
        if (x != std::floor(x))
            return nan;
    }
    Real sum = 0;
    constexpr int terms = 20;
    for (int k = 0; k < terms || q < terms; ++k, q += 1) {
        sum += std::pow(q, -x);
        if (k > 100'000)
            break;
    }
    sum += std::pow(q, 1 - x) / (x - 1) + std::pow(q, -x) / 2;
    Real factor = x; // x (x + 1) ... (x + 2k - 2) / (2k)! q^(-x - 2k + 1)
    Real power = std::pow(q, -x - 1);
    Real factorial = 2;
    for (int k = 1; k <= 12; ++k) {
        sum += bernoulli[k - 1] / factorial * factor * power;
        factor *= (x + 2 * k - 1) * (x + 2 * k);
        factorial *= static_cast<Real>((2 * k + 1) * (2 * k + 2));
        power /= q * q;
    }
    return sum;
}

Real polygamma(Real n, Real x)
{
    if (n < 0 || n != std::floor(n))
        return nan;
    if (n == 0)
        return digamma(x);
    const Real value = std::exp(logGamma(n + 1)) * zeta(n + 1, x);
    return std::fmod(n, Real{ 2 }) == 0 ? -value : value;
}

/// `Computed` is what it is computed in: of floats, double is exact enough and ten times as fast as long double.
template <class Computed>
Computed inverseErf(Computed x)
{
    if (std::isnan(x) || x < -1 || x > 1)
        return std::numeric_limits<Computed>::quiet_NaN();
    if (x == 0)
        return x;
    const Computed magnitude = std::fabs(x);
    if (magnitude == 1)
        return std::copysign(std::numeric_limits<Computed>::infinity(), x);
    // Winitzki's approximation, then Halley's method, on erfc where erf is near 1. Each step cubes the error, so that
    // the step after a small one would change nothing.
    constexpr Computed piOf = std::numbers::pi_v<Computed>;
    constexpr Computed a{ 0.147 };
    const Computed log = std::log1p(-magnitude * magnitude);
    const Computed t = 2 / (piOf * a) + log / 2;
    Computed y = std::sqrt(std::sqrt(t * t - log / a) - t);
    for (int step = 0; step < 6; ++step) {
        const Computed error = magnitude < Computed{ 0.5 } ? std::erf(y) - magnitude : (1 - magnitude) - std::erfc(y);
        const Computed slope = 2 / std::sqrt(piOf) * std::exp(-y * y);
        const Computed newton = error / slope;
        y -= newton / (1 + y * newton);
        if (std::fabs(newton) < Computed{ 1e-8 } * y)
            break;
    }
    return std::copysign(y, x);
}

/// exp(-|x|) I1(x), I1 being the modified Bessel function of the first kind.
Real besselI1e(Real x)
{
    if (std::isnan(x))
        return nan;
    const Real magnitude = std::fabs(x);
    Real result = 0;
    if (magnitude <= 40) {
        Real term = magnitude / 2;
        for (int k = 1; k < 200; ++k) {
            result += term;
            term *= magnitude / 2 * (magnitude / 2) / (static_cast<Real>(k) * static_cast<Real>(k + 1));
            if (term < result * 1e-22L)
                break;
        }
        result *= std::exp(-magnitude);
    } else if (!std::isinf(magnitude)) {
        Real term = 1;
        for (int k = 1; k < 60; ++k) {
            result += term;
            const Real odd = static_cast<Real>(2 * k - 1);
            const Real next = -term * (4 - odd * odd) / (static_cast<Real>(k) * 8 * magnitude);
            if (std::fabs(next) > std::fabs(term))
                break;
            term = next;
        }
        result /= std::sqrt(2 * pi * magnitude);
    }
    return std::copysign(result, x);
}

template <class T>
T nextAfter(T from, T towards, const ElementContext& context)
{
    if (context.mantissaBits == 0)
        return std::nextafter(from, towards);
    // Elements of a narrower type, held as T: its neighbours by its own bits.
    if (std::isnan(from) || std::isnan(towards))
        return std::numeric_limits<T>::quiet_NaN();
    if (from == towards)
        return towards;
    const auto dtype = static_cast<DType>(context.mantissaBits - 1);
    std::byte bytes[8] = {};
    const float held = static_cast<float>(from);
    narrow(dtype, reinterpret_cast<const std::byte*>(&held), bytes, 1);
    const unsigned signBit = byteSize(dtype) == 2 ? 0x8000U : 0x80U;
    unsigned bits = static_cast<unsigned>(bytes[0]) | static_cast<unsigned>(bytes[1]) << 8;
    if (from == 0)
        bits = towards < 0 ? signBit | 1U : 1U;
    else
        bits += (towards > from) == (from > 0) ? 1U : ~0U;
    bytes[0] = static_cast<std::byte>(bits & 0xFFU);
    bytes[1] = static_cast<std::byte>(bits >> 8 & 0xFFU);
    float result = 0;
    widen(dtype, bytes, reinterpret_cast<std::byte*>(&result), 1);
    return static_cast<T>(result);
}

template <class T>
ElementFunction functionOf(OpKind kind)
{
    switch (kind) {
    case OpKind::ChloLgamma:
        return unaryLoop<T, T>([](T a) { return logGamma(static_cast<Real>(a)); });
    case OpKind::ChloDigamma:
        return unaryLoop<T, T>([](T a) { return digamma(static_cast<Real>(a)); });
    case OpKind::ChloErfInv:
        return unaryLoop<T, T>(
            [](T a) { return inverseErf(static_cast<std::conditional_t<sizeof(T) < 8, double, Real>>(a)); });
    case OpKind::ChloBesselI1e:
        return unaryLoop<T, T>([](T a) { return besselI1e(static_cast<Real>(a)); });
    case OpKind::ChloZeta:
        return binaryLoop<T, T>([](T a, T b) { return zeta(static_cast<Real>(a), static_cast<Real>(b)); });
    case OpKind::ChloPolygamma:
        return binaryLoop<T, T>([](T a, T b) { return polygamma(static_cast<Real>(a), static_cast<Real>(b)); });
    case OpKind::ChloNextAfter:
        return [](const std::byte* const* in, std::byte* out, std::int64_t n, const ElementContext& context) {
            const T* a = reinterpret_cast<const T*>(in[0]);
            const T* b = reinterpret_cast<const T*>(in[1]);
            T* r = reinterpret_cast<T*>(out);
            for (std::int64_t i = 0; i < n; ++i)
                r[i] = nextAfter(a[i], b[i], context);
        };
    default:
        return nullptr;
    }
}

} // namespace

ElementFunction specialFunction(OpKind kind, DType computed)
{
    return computed == DType::F64 ? functionOf<double>(kind) : functionOf<float>(kind);
}

} // namespace shardscope::kernels

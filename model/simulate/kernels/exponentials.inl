// SPDX-License-Identifier: GPL-3.0-or-later
// exp, the logistic function and tanh of f32, computed in double without a branch or a call, so that the compiler
// vectorises the loops around them. With no contraction they give equal bits in every instruction set.
//
//     exp(x) = 2^n exp(r),  n = round(x / ln 2),  r = x - n ln 2 in [-0.347, 0.347]
//
// exp(r) is a polynomial of degree 8 through its values at Chebyshev's points. Its error is below 5e-12: what is rounded
// to f32 is nearly always the nearest number, and never further than one unit in the last place.

/// e to the power of x for -110 <= x <= 110, beyond which an f32 is 0 or infinite; of other x, that of the nearest of
/// these. NaN stays NaN.
inline double exponentialInDouble(double x)
{
    constexpr double bound = 110, ln2 = 0x1.62e42fefa39efp-1, reciprocal = 1.4426950408889634; // 1 / ln 2
    constexpr double shift = 0x1.8p52; // its sum with n has n in its last bits
    x = x < -bound ? -bound : x;
    x = x > bound ? bound : x;
    const double shifted = x * reciprocal + shift;
    const double r = x - (shifted - shift) * ln2;
    // 1 + r + r^2 q(r), in pairs, whose sums do not wait for each other (Estrin, 1960).
    const double r2 = r * r, r4 = r2 * r2;
    const double low = (0.5 + r * 0x1.555555675e3d0p-3) + (0x1.5555555c8b81bp-5 + r * 0x1.1110c613ed8f1p-7) * r2;
    const double high = (0x1.6c168572ec67ep-10 + r * 0x1.a151b9b9f9468p-13) + 0x1.a113532aeb65bp-16 * r2;
    const double p = (1.0 + r) + (low + high * r4) * r2;
    return p * __builtin_bit_cast(double, (__builtin_bit_cast(std::uint64_t, shifted) + 1023) << 52);
}

/// tanh(x) = (1 - exp(-2|x|)) / (1 + exp(-2|x|)), with the sign of x; of small x by its series, since that difference
/// loses digits.
inline double tanhInDouble(double x)
{
    constexpr double small = 0x1p-8; // the next term of the series is 17/315 x^7
    const double magnitude = __builtin_fabs(x), square = x * x;
    const double power = exponentialInDouble(-2 * magnitude);
    const double series = x * (1 + square * (-1.0 / 3 + square * (2.0 / 15)));
    const double quotient = __builtin_copysign((1 - power) / (1 + power), x);
    return magnitude < small ? series : quotient;
}

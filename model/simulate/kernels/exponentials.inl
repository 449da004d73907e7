// SPDX-License-Identifier: GPL-3.0-or-later
// exp, the logistic function and tanh of f32, computed in double without a branch or a call, so that the compiler
// vectorises the loops around them. With no contraction they give equal bits in every instruction set.
//
//     exp(x) = 2^n exp(r),  n = round(x / ln 2),  r = x - n ln 2 in [-0.347, 0.347]  (Cody and Waite, 1980)
//
// exp(r) is its Taylor polynomial up to r^11, whose error is below 7e-15: what is rounded to f32 is nearly always the
// nearest number, and never further than one unit in the last place.

/// e to the power of x for -110 <= x <= 110, beyond which an f32 is 0 or infinite; of other x, that of the nearest of
/// these. NaN stays NaN.
inline double exponentialInDouble(double x)
{
    constexpr double bound = 110, reciprocal = 1.4426950408889634; // 1 / ln 2
    constexpr double ln2High = 0x1.62e42feep-1, ln2Low = 0x1.a39ef35793c76p-33; // n ln2High is exact
    constexpr double shift = 0x1.8p52; // its sum with n has n in its last bits
    x = x < -bound ? -bound : x;
    x = x > bound ? bound : x;
    const double shifted = x * reciprocal + shift;
    const double n = shifted - shift;
    const double r = (x - n * ln2High) - n * ln2Low;
    // In pairs, whose sums do not wait for each other (Estrin, 1960).
    const double r2 = r * r, r4 = r2 * r2;
    const double low = (1.0 + r) + (0.5 + r * (1.0 / 6)) * r2;
    const double middle = (1.0 / 24 + r * (1.0 / 120)) + (1.0 / 720 + r * (1.0 / 5040)) * r2;
    const double high = (1.0 / 40320 + r * (1.0 / 362880)) + (1.0 / 3628800 + r * (1.0 / 39916800)) * r2;
    const double p = (low + middle * r4) + high * (r4 * r4);
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

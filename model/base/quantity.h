// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that know their unit and where they come from.
#pragma once

#include <cstdint>
#include <limits>

namespace shardscope {

/// A fraction in lowest terms with a positive denominator. Bytes sent by a ring are one: 2 * 7/8 * 2 = 7/2.
///
/// It is exact as long as it fits two 64-bit numbers. Beyond that it is rounded to the nearest value with a smaller
/// denominator (4/3 * 2^61 becomes a whole number), and stops at the largest 64-bit number instead of overflowing.
class Rational {
public:
    constexpr Rational(std::int64_t numerator = 0, std::int64_t denominator = 1)
        : Rational(reduced(numerator, denominator))
    {
    }
    [[nodiscard]] constexpr std::int64_t numerator() const { return m_numerator; }
    [[nodiscard]] constexpr std::int64_t denominator() const { return m_denominator; }
    [[nodiscard]] constexpr double value() const
    {
        return static_cast<double>(m_numerator) / static_cast<double>(m_denominator);
    }
    // Sums and products of 64-bit numbers fit 128 bits.
    friend constexpr Rational operator+(Rational a, Rational b)
    {
        return reduced(Int128{ a.m_numerator } * b.m_denominator + Int128{ b.m_numerator } * a.m_denominator,
            Int128{ a.m_denominator } * b.m_denominator);
    }
    friend constexpr Rational operator*(Rational a, Rational b)
    {
        return reduced(Int128{ a.m_numerator } * b.m_numerator, Int128{ a.m_denominator } * b.m_denominator);
    }
    constexpr Rational& operator+=(Rational other) { return *this = *this + other; }
    friend constexpr bool operator==(Rational, Rational) = default;
    friend constexpr bool operator<(Rational a, Rational b) { return (b + a * Rational(-1)).numerator() > 0; }

private:
    __extension__ typedef __int128 Int128;
    struct Exact {
        std::int64_t numerator = 0, denominator = 1;
    };
    constexpr explicit Rational(Exact exact)
        : m_numerator(exact.numerator)
        , m_denominator(exact.denominator)
    {
    }
    static constexpr Rational reduced(Int128 numerator, Int128 denominator)
    {
        constexpr Int128 largest = std::numeric_limits<std::int64_t>::max();
        constexpr Int128 fineDenominator = Int128{ 1 } << 31;
        if (numerator == 0)
            return Rational(Exact{});
        const bool negative = (numerator < 0) != (denominator < 0);
        Int128 n = numerator < 0 ? -numerator : numerator;
        Int128 d = denominator < 0 ? -denominator : denominator;
        Int128 divisor = n;
        for (Int128 rest = d; rest != 0;) {
            const Int128 next = divisor % rest;
            divisor = rest;
            rest = next;
        }
        n /= divisor;
        d /= divisor;
        if ((n > largest && d > fineDenominator) || d > largest)
            return reduced(negative ? -(n / 2) : n / 2, d / 2);
        if (n > largest) {
            n = n / d + (n % d * 2 >= d ? 1 : 0);
            n = n > largest ? largest : n;
            d = 1;
        }
        const auto full = static_cast<std::int64_t>(n);
        return Rational(Exact{ negative ? -full : full, static_cast<std::int64_t>(d) });
    }

    std::int64_t m_numerator = 0;
    std::int64_t m_denominator = 1;
};

} // namespace shardscope

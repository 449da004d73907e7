// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that know their unit and where they come from.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>

namespace shardscope {

/// An exact fraction in lowest terms with a positive denominator. Bytes sent by a ring are one: 2 * 7/8 * 2 = 7/2.
class Rational {
public:
    constexpr Rational(std::int64_t numerator = 0, std::int64_t denominator = 1)
    {
        const std::int64_t divisor = std::gcd(numerator, denominator);
        const std::int64_t sign = denominator < 0 ? -1 : 1;
        m_numerator = divisor == 0 ? 0 : sign * numerator / divisor;
        m_denominator = divisor == 0 ? 1 : sign * denominator / divisor;
    }
    [[nodiscard]] constexpr std::int64_t numerator() const { return m_numerator; }
    [[nodiscard]] constexpr std::int64_t denominator() const { return m_denominator; }
    [[nodiscard]] constexpr double value() const
    {
        return static_cast<double>(m_numerator) / static_cast<double>(m_denominator);
    }
    // Common factors go before the products are formed, so that these stay as small as the result allows.
    friend constexpr Rational operator+(Rational a, Rational b)
    {
        const std::int64_t common = std::gcd(a.m_denominator, b.m_denominator);
        return { a.m_numerator * (b.m_denominator / common) + b.m_numerator * (a.m_denominator / common),
            a.m_denominator / common * b.m_denominator };
    }
    friend constexpr Rational operator*(Rational a, Rational b)
    {
        const Rational left(a.m_numerator, b.m_denominator);
        const Rational right(b.m_numerator, a.m_denominator);
        return { left.m_numerator * right.m_numerator, left.m_denominator * right.m_denominator };
    }
    Rational& operator+=(Rational other) { return *this = *this + other; }
    friend constexpr bool operator==(Rational, Rational) = default;

private:
    std::int64_t m_numerator = 0;
    std::int64_t m_denominator = 1;
};

enum class Unit : std::uint8_t { None, Bytes, Seconds, Flops, Count };
enum class Origin : std::uint8_t { Given, Computed, Estimated, Measured };

/// A figure as it is shown: value, unit, how it was obtained, and from what ("2 x 3/4 x 16 KiB").
struct Quantity {
    double value = 0;
    Unit unit = Unit::None;
    Origin origin = Origin::Computed;
    std::string from;
    bool operator==(const Quantity&) const = default;
};

} // namespace shardscope

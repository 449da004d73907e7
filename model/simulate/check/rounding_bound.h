// SPDX-License-Identifier: GPL-3.0-or-later
// How far rounding can take values from the exact ones: a bound that holds for certain, whatever the numbers are and in
// whatever order sums are added up.
//
// With u = eps / 2 (2^-24 for f32), an inner product of n terms in floating point is within n u |a|.|b| of the exact
// one, in any order of the additions and without a condition on n (Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34,
// 2013). What is computed on from it carries that on: to first order in u, every value v is within
//
//     k u m + a,   k = most roundings behind one of its terms,   m = v computed from absolute values.
//
// a is for what underflows. Below 2^-126 the numbers of f32 are all 2^-149 apart, so that a product or a quotient there
// errs by up to 2^-150, however small it is itself; sums of such numbers are exact. a adds those up and multiplies them
// on by the largest factor that follows. It is one number for a full array: where numbers are of ordinary size it is
// nothing at all beside k u m.
//
// Values that are known exactly, since the machine's own numbers are taken for them, have k = 0, m = |v| and a = 0.
#pragma once

#include <vector>

#include "schedule/flat_program.h"
#include "simulate/check/reference.h"

namespace shardscope {

struct RoundingBound {
    std::vector<double> magnitude; ///< m, row-major
    double roundings = 0; ///< k
    double absolute = 0; ///< a

    /// For an element; one rounding more, and a twice, for what is of second order.
    [[nodiscard]] double tolerance(std::size_t element) const
    {
        return (roundings + 1) * 0x1p-24 * magnitude[element] + 2 * absolute;
    }
};

/// Per operation: roundings behind one term of its sums; 0 for operations without sums. One rounding for the product
/// and one for every addition, in any order.
[[nodiscard]] std::vector<double> sumLengths(const Program& program);
/// The same where devices share the sums: the terms of one device, and then one addition per device of the group.
[[nodiscard]] std::vector<double> sumLengths(const FlatProgram& program);

/// Bounds of the values of one program, built up in program order.
class RoundingBounds {
public:
    /// Program and state outlive this. Arguments are exact.
    RoundingBounds(const Program& program, const ReferenceState& state, std::vector<double> sumLengths);

    /// Works out the bound of an operation's result. The state holds the result and the operands, whose bounds are
    /// known. Where the operation's own error is not linear in that of an operand (needsExactOperand()), that one has
    /// to be exact.
    void follow(const Operation& operation);
    /// From here on the number in the state is the exact one.
    void setExact(ValueId value);
    [[nodiscard]] bool isExact(ValueId value) const { return m_roundings[value.index] == 0; }
    [[nodiscard]] RoundingBound of(ValueId value) const;

private:
    using Array = std::vector<double>;

    [[nodiscard]] const Array& magnitude(ValueId value, Array& own) const;
    [[nodiscard]] Array evaluated(Operation operation, OpKind kind) const;
    [[nodiscard]] Array largest(const Operation& operation) const;
    [[nodiscard]] double maxRoundings(const Operation& operation) const;
    [[nodiscard]] double lengthOf(const Operation& operation) const;
    [[nodiscard]] double maxAbsolute(const Operation& operation) const;
    [[nodiscard]] double absoluteOfProducts(const Operation& operation) const;
    [[nodiscard]] double absoluteOf(const Operation& operation) const;
    [[nodiscard]] Array quotient(const Operation& operation) const;

    const Program& m_program;
    const ReferenceState& m_state;
    std::vector<double> m_sumLengths;
    std::vector<Array> m_magnitudes; ///< empty for exact values
    std::vector<double> m_roundings;
    std::vector<double> m_absolutes;
};

/// Operands of operations that decide something (a comparison, a rounding to integers) or bend (exp, a power, the
/// divisor of a quotient): what a small error there does to the result has no bound of the form above.
[[nodiscard]] bool needsExactOperand(const Program& program, const Operation& operation, std::size_t operand);
/// Operations whose result is exact where their operands are.
[[nodiscard]] bool addsNoRounding(const Program& program, const Operation& operation);

} // namespace shardscope

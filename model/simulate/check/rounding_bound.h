// SPDX-License-Identifier: GPL-3.0-or-later
// How far rounding can take one operation's result from the exact one: a bound that holds for certain, whatever the
// numbers are and in whatever order sums are added up.
//
// With u = eps / 2 (2^-24 for f32), an inner product of k terms in floating point is within k u |a|.|b| of the exact
// one, in any order of the additions and without a condition on k (Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34,
// 2013). |a|.|b| is worked out by the same kernel on absolute values, in f64. What underflows comes on top: numbers
// near 0 are all as far apart as the smallest of them.
//
// A sum in a tree of additions is nearer: within h u sum|a| where no term passes through more than h of them (up to
// second order; Higham, Accuracy and Stability of Numerical Algorithms, section 4.2). The kernel of sums has 16 lanes
// (f64: 8), so of 8192 terms on 8 devices h is 8192 / 16 + 1 + 4 + 15 + 8 = 540, where k + 2 is 8194.
#pragma once

#include <optional>
#include <span>

#include "program/program.h"
#include "simulate/check/compare.h"

namespace shardscope {

struct RoundedResult {
    kernels::Array exact; ///< f64
    Tolerances tolerances;
};

/// Of a product, a convolution or a sum of floats, whose operands are known exactly; nothing for any other operation.
/// `devices`: so many may share a sum, and each rounds its own part to the element type.
[[nodiscard]] std::optional<RoundedResult> roundedResult(
    const Program& program, const Operation& operation, std::span<const kernels::Array> operands, std::int64_t devices);
/// Whether there is such a bound for it.
[[nodiscard]] bool hasRoundingBound(const Program& program, const Operation& operation);

/// The bytes that roundedResult() takes.
[[nodiscard]] double bytesOfBound(const Program& program, const Operation& operation);

/// Functions that fast and plain kernels compute in different ways, and how far the results may be apart: a multiple of
/// eps and of the result, and what underflows.
[[nodiscard]] bool isApproximate(const Program& program, const Operation& operation);
[[nodiscard]] Tolerances approximationTolerances(const kernels::Array& result);

} // namespace shardscope

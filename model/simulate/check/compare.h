// SPDX-License-Identifier: GPL-3.0-or-later
// What devices computed against the reference. Both are right where they differ by the roundings of sums that were
// added up in another order.
#pragma once

#include "simulate/kernels/array.h"

namespace shardscope::kernels {

/// How far an element may be off, as a share of the largest finite magnitude of its array: 256 units in the last place
/// of f64 and f32, 4 of floats of 16 bits, 2 of smaller ones; 0 for integers and truth values.
[[nodiscard]] double roundingShare(DType dtype);

struct ArrayComparison {
    std::int64_t compared = 0; ///< elements that are finite in both, or in one of them alone
    std::int64_t notFinite = 0; ///< elements that are NaN or infinite in both: they say nothing
    std::int64_t first = -1; ///< row-major index of the first element beyond the tolerance; -1 for none
    std::int64_t beyond = 0; ///< so many are
    std::int64_t worst = -1; ///< of the largest error; -1 where all elements are equal
    double largestError = 0; ///< infinite where one is NaN or infinite and the other something else
    double tolerance = 0; ///< absolute
    [[nodiscard]] bool passed() const { return first < 0; }
};

/// Of arrays of one type. An array without elements that are compared has passed. NaN equals NaN, infinity equals
/// infinity of the same sign. `sensitivity`: added to the tolerance of floats, where roundings are known to matter more
/// (simulate/check/rounding_noise.h).
[[nodiscard]] ArrayComparison compareWithReference(const Array& found, const Array& wanted, double sensitivity = 0);
/// The largest difference of elements that are finite in both.
[[nodiscard]] double largestChange(const Array& a, const Array& b);

/// One element of an array, as a scalar.
[[nodiscard]] Array elementOf(const Array& array, std::int64_t index);

} // namespace shardscope::kernels

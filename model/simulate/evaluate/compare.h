// SPDX-License-Identifier: GPL-3.0-or-later
// What devices computed against the reference. Both are right where they differ by the roundings of sums that were
// added up in another order.
#pragma once

#include "simulate/evaluate/array.h"

namespace shardscope::evaluate {

/// How far an element may be off, as a share of the largest finite magnitude of its array: 256 units in the last place
/// of f64 and f32, 4 of floats of 16 bits, 2 of smaller ones; 0 for integers and truth values.
[[nodiscard]] double roundingShare(DType dtype);

struct ArrayComparison {
    std::int64_t first = -1; ///< row-major index of the first element beyond the tolerance; -1 for none
    std::int64_t beyond = 0; ///< so many are
    std::int64_t worst = -1; ///< of the largest error; -1 where all elements are equal
    double largestError = 0; ///< infinite where one is NaN or infinite and the other something else
    double tolerance = 0; ///< absolute
    [[nodiscard]] bool passed() const { return first < 0; }
};

/// Of arrays of one type. NaN equals NaN, infinity equals infinity of the same sign.
[[nodiscard]] ArrayComparison compareWithReference(const Array& found, const Array& wanted);

/// One element of an array, as a scalar.
[[nodiscard]] Array elementOf(const Array& array, std::int64_t index);

} // namespace shardscope::evaluate

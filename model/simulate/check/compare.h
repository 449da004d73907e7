// SPDX-License-Identifier: GPL-3.0-or-later
// What devices computed against the reference, element by element.
#pragma once

#include <vector>

#include "simulate/kernels/array.h"

namespace shardscope {

/// The distance of the type's numbers at 1, of complex ones that of their parts; 0 for integers and truth values.
[[nodiscard]] double epsilonOf(DType dtype);
/// How far an element may be off where no bound of its roundings is known, as a share of the largest finite magnitude
/// of its array: 256 units in the last place of f64 and f32, 4 of floats of 16 bits, 2 of smaller ones; 0 for integers
/// and truth values.
[[nodiscard]] double roundingShare(DType dtype);

using Tolerances = std::vector<double>; ///< per element, or one for all; of floats alone

struct ArrayComparison {
    std::int64_t compared = 0; ///< elements that are finite in both, or in one of them alone
    std::int64_t notFinite = 0; ///< elements that are NaN or infinite in both: they say nothing
    std::int64_t first = -1; ///< row-major index of the first element beyond the tolerance; -1 for none
    std::int64_t beyond = 0; ///< so many are
    std::int64_t worst = -1; ///< whose error takes up most of its tolerance; -1 where all elements are equal
    double largestError = 0; ///< of that one; infinite where one is NaN or infinite and the other something else
    double tolerance = 0; ///< of that one, absolute
    double found = 0, wanted = 0; ///< its numbers; of a complex one the part that takes up most
    [[nodiscard]] bool passed() const { return first < 0; }
};

/// An array without elements that are compared has passed. NaN equals NaN, infinity equals infinity of the same sign.
/// What is no float is equal to the last bit; complex numbers are compared part by part, within one tolerance. `wanted`
/// may be of f64 where `found` is of another float type.
[[nodiscard]] ArrayComparison compareArrays(
    const kernels::Array& found, const kernels::Array& wanted, const Tolerances& tolerances);
/// The same within roundingShare() of the largest magnitude. `sensitivity`: added to that, where roundings are known to
/// matter more (simulate/check/rounding_noise.h).
[[nodiscard]] ArrayComparison compareWithReference(
    const kernels::Array& found, const kernels::Array& wanted, double sensitivity = 0);
/// The largest finite magnitude, of complex numbers that of a part.
[[nodiscard]] double largestMagnitude(const kernels::Array& array);
/// The largest difference of elements that are finite in both.
[[nodiscard]] double largestChange(const kernels::Array& a, const kernels::Array& b);

/// One element of an array, as a scalar.
[[nodiscard]] kernels::Array elementOf(const kernels::Array& array, std::int64_t index);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays of the devices against those of the reference, element by element.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/check/check.h"

namespace shardscope {

using Tolerances = std::vector<double>; ///< per element, or one for all

/// |a - b|, where inf equals inf.
[[nodiscard]] double difference(double a, double b);
/// Infinite where there is a NaN.
[[nodiscard]] double largestMagnitude(const std::vector<double>& array);
/// The largest difference (infinite where there is a NaN), in units of the largest magnitude in `reference`. The arrays
/// are of one size.
[[nodiscard]] double relativeDifference(const std::vector<double>& ours, const std::vector<double>& reference);

/// Elements within their tolerance. Nothing is near to NaN, nor everything to an infinite tolerance.
[[nodiscard]] std::int64_t countWithin(
    const std::vector<double>& ours, const std::vector<double>& reference, const Tolerances& tolerances);
/// The same, and notes in the line what was compared and which element is worst of all so far.
std::int64_t compareArrays(ValueCheck& line, const std::vector<double>& ours, const std::vector<double>& reference,
    const Tolerances& tolerances);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about programs that were executed: what differs from the reference, where NaN and infinity come from.
// Numbers are given as text, in as many digits as their type has.
#pragma once

#include <QString>

#include "simulate/check/first_difference.h"
#include "simulate/check/non_finite.h"

namespace shardscope::words {

/// "stablehlo.log in line 12"; the line where the program knows it.
[[nodiscard]] QString operationPlace(const Program& program, OperationId operation);

/// "%5[0, 3] is 2 on d1, 3 in the reference. It is the first value that differs; stablehlo.add in line 12 computes it."
/// Values have the paths of nameValues().
[[nodiscard]] QString firstDifference(
    const Program& named, const kernels::FirstDifference& difference, const QString& found, const QString& wanted);
/// What to do about it; empty where nothing is known.
[[nodiscard]] QString firstDifferenceRemedy(const Program& named, const kernels::FirstDifference& difference);

/// Whose values an element is one of: the reference, or the devices, whose elements count in their own shard.
enum class Runs : std::uint8_t { Reference, Devices };
/// "stablehlo.log in line 12 gives the first NaN: element [3] of %2, from operands without one." `value` is the name of
/// what holds it, `index` its index there.
[[nodiscard]] QString nonFinite(
    const Program& program, const kernels::NonFinite& found, Runs runs, const QString& value, const Shape& index);

} // namespace shardscope::words

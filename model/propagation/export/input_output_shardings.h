// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings of what comes in and goes out become final.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// Of functions, calls and manual computations, or of those computations alone.
enum class DivisorBoundaries : std::uint8_t { All, OfManual };
/// What comes in and goes out (arguments, results) keeps of its axes what divides each dimension.
[[nodiscard]] Program keepDivisors(Program program, DivisorBoundaries boundaries);
/// Open dimensions of what main takes and returns keep their axes up to the first part of one.
[[nodiscard]] Program removeSubAxes(Program program);
/// All dimensions become closed, and nothing is kept replicated.
[[nodiscard]] Program closeShardings(Program program);

} // namespace shardscope::passes

// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings of what comes in and goes out become final.
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// What comes in and goes out (arguments, results, calls, manual computations) keeps of its axes what divides each
/// dimension.
[[nodiscard]] Program cutToDivisors(Program program);
/// Of functions and manual computations, or of those computations alone.
enum class CutBorders : std::uint8_t { All, OfManual };
[[nodiscard]] Program cutToDivisors(Program program, CutBorders borders);
/// Open dimensions of what main takes and returns keep their axes up to the first part of one.
[[nodiscard]] Program removeSubAxes(Program program);
/// All dimensions become closed, and nothing is kept replicated.
[[nodiscard]] Program closeShardings(Program program);

} // namespace shardscope::passes

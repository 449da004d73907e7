// SPDX-License-Identifier: GPL-3.0-or-later
// Figures and sentences of measured steps.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulate/run/step_statistics.h"

namespace shardscope::words {

/// "9.42 ms ± 0.31 ms per step (mean ± std. dev. of 7 runs, 10 loops each)"
[[nodiscard]] QString timeitSentence(const TimeitResult& result);
/// The same of single steps: "... (mean ± std. dev. of 25 steps)", "9.42 ms for one step", or of uneven ones "9.42 ms
/// per step (median of 25 steps, mean 60 ms)".
[[nodiscard]] QString stepsSentence(const TimeStatistics& steps);

/// "4.85417", "NaN", "∞"; "–" for none.
[[nodiscard]] QString figureText(const std::optional<double>& figure);
/// "Loss 4.85417 after step 1, 3.20011 after step 50": the first and the last. `first` is the number of the first step.
[[nodiscard]] QString lossSentence(std::int64_t first, std::span<const StepFigures> figures);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit changes, value by value, in words.
#pragma once

#include "analysis/change.h"
#include "words/words.h"

namespace shardscope::words {

/// "61 of 74 values change: 56 grow (+56 MiB per device), 5 shrink (−40 KiB per device)." "No value changes."
[[nodiscard]] QString changesSummary(const ValueChanges& changes);
/// "4 → 1 MiB": one unit where both have the same, one figure where it stays.
[[nodiscard]] QString amountStep(const QString& before, const QString& after);
[[nodiscard]] QString bytesStep(std::int64_t before, std::int64_t after);
/// "+56 MiB", "−40 KiB", "0"
[[nodiscard]] QString bytesChange(double change);

} // namespace shardscope::words

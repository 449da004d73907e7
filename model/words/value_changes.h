// SPDX-License-Identifier: GPL-3.0-or-later
// What an edit changes, value by value, in words.
#pragma once

#include "analysis/change.h"
#include "words/words.h"

namespace shardscope::words {

/// "14 of 56 values change. Per device 3 MiB less in 12 of them, 64 KiB more in 2." "No value changes."
[[nodiscard]] QString changesSummary(const ValueChanges& changes);
/// "4 → 1 MiB": one unit where both have the same, one figure where it stays.
[[nodiscard]] QString amountStep(const QString& before, const QString& after);
[[nodiscard]] QString bytesStep(std::int64_t before, std::int64_t after);

} // namespace shardscope::words

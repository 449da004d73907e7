// SPDX-License-Identifier: GPL-3.0-or-later
// How an experiment differs from goldens of MaxText, in sentences.
#pragma once

#include "comparison/compare_goldens.h"
#include "words/words.h"

namespace shardscope::words {

/// "Sharded otherwise: embed along fsdp here, along fsdp and expert in the goldens." Empty where nothing differs.
[[nodiscard]] QString goldenDifference(const ComparedGolden& compared);
/// "78 arrays are the same; 2 are sharded otherwise."
[[nodiscard]] QString goldenSummary(const GoldenComparison& comparison);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of arrays that every device has for itself, in the bodies of manual computations.
#pragma once

#include "partition/manual_values.h"
#include "words/words.h"

namespace shardscope::words {

/// "%2 is in the body of a manual computation over data and model: every device has an f32[4, 8] of its own."
[[nodiscard]] Text manualText(const Snapshot& snapshot, ValueId value, const ManualValue& own);
/// A row per manual axis: "along data", "as %a, which is sharded along it", "varying".
[[nodiscard]] std::vector<ExplanationText::Cause> manualCauses(
    const Snapshot& snapshot, const ManualValues& values, ValueId value);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// The longer parts of an explanation: what is exchanged for a value, and how its sharding came about step by step.
#pragma once

#include "analysis/explain.h"
#include "words/words.h"

namespace shardscope::words {

/// One paragraph per collective that makes or reshards the value.
[[nodiscard]] std::vector<Text> collectiveTexts(const Snapshot& snapshot, const Explanation& explanation);
/// Shapes and bytes, then one paragraph per step of propagation.
[[nodiscard]] std::vector<Text> derivation(const Snapshot& snapshot, const Explanation& explanation);

} // namespace shardscope::words

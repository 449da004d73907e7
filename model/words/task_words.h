// SPDX-License-Identifier: GPL-3.0-or-later
// What tasks ask, and how far an experiment meets them, in words.
#pragma once

#include "tasks/tasks.h"
#include "words/words.h"

namespace shardscope::words {

/// "at most 20 MiB per device at the peak"
[[nodiscard]] QString goal(const Condition& condition);
/// What was found: "32 MiB", "P(X, -, Y, -)", "2 devices hold the same of params/layers.0/W1"; empty where the goal
/// says it all.
[[nodiscard]] QString found(const ConditionState& state);
/// What is not met yet: "at most 20 MiB per device at the peak (now 32 MiB)"; empty where all is.
[[nodiscard]] QStringList missing(const TaskState& state);
/// "Solved: at most 20 MiB per device at the peak (now 16.1 MiB); ..." or "2 of 4 met. Missing: ...".
[[nodiscard]] QString progress(const TaskState& state);

} // namespace shardscope::words

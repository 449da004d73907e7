// SPDX-License-Identifier: GPL-3.0-or-later
// What a problem is about: where somebody who reads it wants to look.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/snapshot.h"

namespace shardscope {

struct ProblemSubject {
    std::int32_t rule = -1; ///< ruleNumber() of a rule or of a list of rules; -1 for none
    int meshAxis = -1; ///< number in the mesh of the experiment; -1 for none
    int textLine = 0; ///< of the program's text; 0 for none
    std::string tensor; ///< path of the one that stands for it; "" for none
};

/// `snapshot` is the analysis that found it and `experiment` what was analysed, without which no line is told.
[[nodiscard]] ProblemSubject problemSubject(
    const Problem& problem, const Snapshot* snapshot, const Experiment* experiment);

} // namespace shardscope

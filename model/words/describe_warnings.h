// SPDX-License-Identifier: GPL-3.0-or-later
// Cause and remedy of warnings and information about rules, annotations, collectives, memory and settings of a run.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Empty for codes of other subjects.
[[nodiscard]] ProblemText describeWarning(const Diagnostic& diagnostic);

} // namespace shardscope::words

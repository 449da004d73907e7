// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about programs that cannot be executed, and about per-device programs.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Empty for other codes, and where a code of these has no more to say than describe() does.
[[nodiscard]] ProblemText describeExecution(const Diagnostic& diagnostic);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// Cause and remedy of errors in programs and their runs: operands, attributes, tensors that are named, memory.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Empty for codes of other subjects.
[[nodiscard]] ProblemText describeProgram(const Diagnostic& diagnostic);

} // namespace shardscope::words

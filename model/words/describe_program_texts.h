// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about texts of programs.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Empty for codes that are not about texts of programs.
[[nodiscard]] ProblemText describeProgramText(const Diagnostic& diagnostic);

} // namespace shardscope::words

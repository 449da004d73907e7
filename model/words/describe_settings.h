// SPDX-License-Identifier: GPL-3.0-or-later
// Cause and remedy of settings that change nothing.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Empty for codes of other subjects.
[[nodiscard]] ProblemText describeSetting(const Diagnostic& diagnostic);

} // namespace shardscope::words

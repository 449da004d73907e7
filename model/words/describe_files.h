// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about files and the values in them.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Empty for codes that are not about files.
[[nodiscard]] ProblemText describeFile(const Diagnostic& diagnostic);

} // namespace shardscope::words

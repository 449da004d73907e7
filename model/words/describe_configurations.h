// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about configurations of published models: which architecture, and what of it the networks have.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Empty for codes that are not about configurations.
[[nodiscard]] ProblemText describeConfiguration(const Diagnostic& diagnostic);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about the forms in which shardings are written.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Cause and remedy; empty for codes of other subjects.
[[nodiscard]] ProblemText describeForm(const Diagnostic& diagnostic);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a transformer that contradict each other, in sentences.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Of InvalidAttribute {op: transformer}, as networks/check_transformer.h has it.
[[nodiscard]] ProblemText describeTransformer(const Diagnostic& diagnostic);

} // namespace shardscope::words

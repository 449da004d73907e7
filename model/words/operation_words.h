// SPDX-License-Identifier: GPL-3.0-or-later
// What an operation does with shardings, in words.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// "dot_general, which gives layers.0/y"; "constant %26" where the result has no name.
[[nodiscard]] QString operationTitle(const Program& program, OperationId operation);
/// What it takes and gives and how that is sharded, its factor rule, what there is to compute, and the
/// axes that moved through it, step by step.
[[nodiscard]] ExplanationText operationExplanation(const Snapshot& snapshot, OperationId operation, Length length);

} // namespace shardscope::words

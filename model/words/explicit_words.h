// SPDX-License-Identifier: GPL-3.0-or-later
// What JAX's explicit mode says of a program, in words.
#pragma once

#include "analysis/explicit_check.h"
#include "words/words.h"

namespace shardscope::words {

/// Code::ExplicitMode: what is refused and why, and what to write. Nothing for other codes.
[[nodiscard]] ProblemText describeExplicitMode(const Diagnostic& diagnostic);

/// "dot_general, which gives Layer 0 / z"
[[nodiscard]] QString explicitTitle(const ExplicitRefusal& refusal, const Program& program);
/// Why alone: "Both operands shard what it adds up over, ..."
[[nodiscard]] QString explicitReason(const Diagnostic& diagnostic);

/// "JAX's explicit mode would refuse 3 operations, the first dot_general, which gives layers.0/z"
[[nodiscard]] QString explicitVerdict(const ExplicitReport& report, const Program& program);
/// What was not judged, and what has to be written as a reshard; empty where there is nothing of the kind. "Not judged:
/// stablehlo.sort 2, since no rule is stated for it."
[[nodiscard]] QString explicitRemarks(const ExplicitReport& report);

} // namespace shardscope::words

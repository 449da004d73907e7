// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about meshes, shardings and sharding rules in programs.
#pragma once

#include "words/words.h"

namespace shardscope::words {

/// Cause and remedy; empty for codes of other subjects.
[[nodiscard]] ProblemText describeProgramSharding(const Diagnostic& diagnostic);
/// "stablehlo.add, result 1", "argument 0 of main", "mesh": what of a program the finding is about; empty for findings
/// of other things.
[[nodiscard]] QString programPlace(const Diagnostic& diagnostic);

} // namespace shardscope::words

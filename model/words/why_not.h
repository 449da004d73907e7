// SPDX-License-Identifier: GPL-3.0-or-later
// Why an axis does not shard a dimension, in words.
#pragma once

#include "analysis/why_not.h"
#include "words/words.h"

namespace shardscope::words {

/// "x does not shard dimension 1: dot_general would bring it from 3, but arg1 is written closed there. Written open,
/// {?}, it would take it." Values and operations lead to themselves. `mesh` is that of the axis.
[[nodiscard]] Text whyNot(const Program& program, const Mesh& mesh, ValueId value, const AbsentAxis& absent);
/// All of them; dimensions without a blocker together, one sentence per axis.
[[nodiscard]] std::vector<Text> whyNot(
    const Program& program, const Mesh& mesh, ValueId value, const std::vector<AbsentAxis>& absent);

} // namespace shardscope::words

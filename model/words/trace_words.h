// SPDX-License-Identifier: GPL-3.0-or-later
// What became of a rule for an array, on a mesh that may lack the axes that the rule names.
#pragma once

#include <span>
#include <string>

#include "words/trace_subject.h"
#include "words/words.h"

namespace shardscope::words {

/// verdictReason() where the mesh is known: "batch is sharded along data; the mesh has no axis modle, so that it shards
/// nothing (W211)". `meshAxes` are the names of its axes.
[[nodiscard]] Text verdictReason(const RuleTrace& trace, const LogicalRules& rules, const LogicalNames& names,
    std::span<const std::string> meshAxes);

/// "Left over, so copied along: data", "Every mesh axis is used: no copies."; where room is short "data left", "no
/// copies".
[[nodiscard]] Text leftOver(const TraceSubject& subject, bool full);
/// Why a dimension is not sharded: "rule 3", "all skipped", "no rule".
[[nodiscard]] QString replicatedBecause(const TraceSubject& subject, int dimension);

} // namespace shardscope::words

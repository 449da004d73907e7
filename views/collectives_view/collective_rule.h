// SPDX-License-Identifier: GPL-3.0-or-later
// The rule or annotation behind a collective: who asked for the sharding along which it runs.
#pragma once

#include "pipeline/collective_list.h"
#include "words/words.h"

namespace shardscope {

/// "rule 2  hidden → model", with a link to the rule; "an annotation, x"; empty where nobody asked, or nobody knows.
/// Of an operation that sums a sharded dimension away it is who sharded its operands, else who sharded the value
/// itself.
[[nodiscard]] words::Text ruleAfter(const CollectiveList& list, const CollectiveEntry& entry, const Snapshot& snapshot);

} // namespace shardscope

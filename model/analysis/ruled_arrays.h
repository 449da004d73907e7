// SPDX-License-Identifier: GPL-3.0-or-later
// The arrays that rules are asked about: those with logical names.
#pragma once

#include <vector>

#include "experiment/rule_lists.h"
#include "pipeline/snapshot.h"
#include "rules/dialect_comparison.h"

namespace shardscope {

struct RuledArray {
    NamedShape array;
    RuleList list; ///< the rules it has
};
/// Arguments, then the values that are constrained, with one name per dimension. Their lists are those that `rules`,
/// which may be newer than the snapshot, has for them.
[[nodiscard]] std::vector<RuledArray> ruledArrays(const Snapshot& snapshot, const RulesSetting& rules);

} // namespace shardscope

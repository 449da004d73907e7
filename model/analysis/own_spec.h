// SPDX-License-Identifier: GPL-3.0-or-later
// A parameter whose sharding was chosen for it alone, and what the rules would make of its logical names.
//
//     decoder/layers.*/mlp/wo/kernel  (mlp, embed)  chosen P(None, 'model'),  by the rule mlp -> model P('model', None)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

struct OwnSpec {
    std::string at; ///< the glob that it was chosen with
    std::optional<PartitionSpec> byRules; ///< absent where the rules are wrong
    std::vector<LogicalRule> rules; ///< that would set its dimensions, in the order of the dimensions
};
/// Nothing for what has no spec of its own.
[[nodiscard]] std::optional<OwnSpec> ownSpecOf(const Snapshot& snapshot, const TensorRow& row);

} // namespace shardscope

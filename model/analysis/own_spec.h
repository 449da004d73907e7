// SPDX-License-Identifier: GPL-3.0-or-later
// A parameter whose sharding was chosen for it alone, and what the rules would make of its logical names.
//
//     decoder/layers.*/mlp/wo/kernel  (mlp, embed)  chosen P(None, 'model'),  by the rule mlp -> model P('model', None)
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "networks/transformer_axes.h"
#include "pipeline/snapshot.h"

namespace shardscope {

struct OwnSpec {
    std::string at; ///< the glob that it was chosen with
    std::optional<PartitionSpec> byRules; ///< absent where the rules are wrong
    std::vector<LogicalRule> rules; ///< that would set its dimensions, in the order of the dimensions
};

/// Those of one snapshot, each worked out when it is first asked for: views ask for every cell that they paint.
class OwnSpecs {
public:
    /// Of a null snapshot there are none.
    explicit OwnSpecs(SnapshotPtr snapshot = nullptr)
        : m_snapshot(std::move(snapshot))
    {
    }
    /// Nothing for what has no spec of its own; the pointer holds until the next object takes this one's place.
    [[nodiscard]] const OwnSpec* of(const TensorRow& row) const;

private:
    [[nodiscard]] std::optional<OwnSpec> made(const TensorRow& row) const;

    SnapshotPtr m_snapshot;
    mutable std::map<ValueId, std::optional<OwnSpec>> m_known;
    mutable std::unordered_map<std::string, std::vector<Axis>> m_axes; ///< of all parameters, once one is asked for
};

} // namespace shardscope

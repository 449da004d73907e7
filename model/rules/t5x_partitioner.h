// SPDX-License-Identifier: GPL-3.0-or-later
// T5X' PjitPartitioner: which rules it works with, which mesh axes carry the batch, and the mapping of a parameter
// tree.
//
//     ici_mesh_shape [1, 4, 2] and dcn_mesh_shape [2, 1, 1] over (replica, data, model): a mesh of 2 x 4 x 2, and every
//     rule for "batch" becomes batch -> (replica, data), whatever it said before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sharding/logical_rules.h"

namespace shardscope {

struct PartitionerSettings {
    std::optional<std::int64_t> partitions; ///< num_partitions
    std::optional<std::vector<std::int64_t>> submesh; ///< model_parallel_submesh
    std::optional<std::vector<std::int64_t>> iciShape;
    std::optional<std::vector<std::int64_t>> dcnShape;
    std::optional<LogicalRules> rules; ///< absent: the standard rules for 1 and 1 dimensions
};

struct Partitioner {
    LogicalRules rules;
    SpecEntry dataAxis; ///< target of "batch"; None without a rule for it
    /// What T5X only writes to its log: SubmeshNotFourSizes, PartitionsAndSubmesh.
    std::vector<Diagnostic> logged;

    [[nodiscard]] PartitionSpec dataSpec() const { return { { dataAxis } }; }
    /// Parts of the batch on a mesh. Axes that it lacks shard nothing, and one named twice shards once.
    [[nodiscard]] std::int64_t dataParts(const Mesh& mesh) const;
};

/// Both shapes given: rules for "batch" map to (replica, data). Errors: RuleArity, RulesType.
[[nodiscard]] Result<LogicalRules> hybridRules(const LogicalRules& rules);

/// Errors: NoPartitionsAndNoSubmesh (0 and an empty submesh count as absent), RuleArity, RulesType.
[[nodiscard]] Result<Partitioner> makePartitioner(const PartitionerSettings& settings);

/// What T5X says of a parameter whose names cannot be resolved: FailedToMap at its path with `parameter`, the `cause`,
/// which is the kind of the error, and the arguments of that error.
[[nodiscard]] Error failedToMap(const std::string& parameter, const Error& error);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Sharding groups: values that the program wants sharded alike.
#pragma once

#include <vector>

#include "program/program.h"

namespace shardscope {

struct ShardingGroup {
    std::int64_t group = 0;
    std::vector<ValueId> members; ///< each once, in program order
    std::vector<OperationId> operations;
};

/// The groups of a program by number; groups that share a member are one.
[[nodiscard]] std::vector<ShardingGroup> shardingGroups(const Program& program);

/// Every dimension open and unsharded, nothing replicated: asks for nothing.
[[nodiscard]] bool isFullyOpen(const TensorSharding& sharding);

struct ResolvedGroups {
    Program program;
    std::vector<std::int64_t> conflicts; ///< groups whose members have different shardings
};
/// Where the members of a group are given different shardings, an open constraint is put after each of them, takes
/// over its uses and becomes the member in its place. (Members that agree share one sharding without that.)
[[nodiscard]] ResolvedGroups resolveShardingGroups(const Program& program);

} // namespace shardscope

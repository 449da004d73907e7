// SPDX-License-Identifier: GPL-3.0-or-later
// Which devices the groups of collectives mean, in StableHLO and in HLO text: ids are replicas, partitions or devices.
//
//     all_reduce over [[0, 1]] without a channel, 2 replicas x 2 partitions: ids are replicas, and each partition has a
//     group of its own                                                      -> devices [[0, 2], [1, 3]]
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "program/device_counts.h"

namespace shardscope {

/// How ids in groups are meant. Without a channel they are replicas, and every partition has its own groups. With one
/// they are replicas with all of their partitions for the reductions and gathers, partitions for the others.
enum class GroupIds : std::uint8_t { Replicas, Partitions, Devices, ReplicasWithPartitions };
/// `permutes`: an all-to-all, a permute or a broadcast.
[[nodiscard]] GroupIds groupIds(bool permutes, bool hasChannel, bool usesGlobalIds);
/// How many of them there are.
[[nodiscard]] std::int64_t countOf(GroupIds ids, const DeviceCounts& devices);
/// The devices of such groups, or pairs. Ids are below countOf(); those below 0 stand for nobody.
[[nodiscard]] std::vector<std::vector<std::int32_t>> devicesOfGroups(
    const std::vector<std::vector<std::int64_t>>& groups, GroupIds ids, const DeviceCounts& devices);

/// The devices of a collective's groups, in the order of the groups; of a collective_permute (sender, receiver).
[[nodiscard]] std::vector<std::vector<std::int32_t>> groupsOf(const Operation& op, const DeviceCounts& devices);
/// What of a collective's groups does not go with the devices that there are, or with the types of its operands and
/// results: arguments of NotExecutable. Nothing where all is well.
[[nodiscard]] std::optional<std::vector<Arg>> wrongGroups(
    const Program& program, const Operation& op, const DeviceCounts& devices);
/// Errors of StableHLO's collectives whose groups name a replica, partition or device that does not exist:
/// NotExecutable (wrong groups) with the place in the text. Checked where the number of devices is known: in
/// manual computations, whose devices are the partitions of one replica, and in programs without a mesh whose module
/// has mhlo.num_partitions.
[[nodiscard]] std::vector<Diagnostic> verifyCollectiveGroups(const Program& program);

} // namespace shardscope

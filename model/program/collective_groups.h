// SPDX-License-Identifier: GPL-3.0-or-later
// Which devices the groups of StableHLO's collectives mean: ids are replicas, partitions or devices.
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

/// The devices of a collective's groups, in the order of the groups; of a collective_permute (sender, receiver).
[[nodiscard]] std::vector<std::vector<std::int32_t>> groupsOf(const Operation& op, const DeviceCounts& devices);
/// What of a collective's groups does not go with the devices that there are, or with the types of its operands and
/// results: arguments of NotExecutable. Nothing where all is well.
[[nodiscard]] std::optional<std::vector<Arg>> wrongGroups(
    const Program& program, const Operation& op, const DeviceCounts& devices);
/// StableHLO's collectives that name others than there are, at their places: in manual computations, whose devices are
/// the partitions of one replica, and in a program without a mesh whose module counts its devices.
[[nodiscard]] std::vector<Diagnostic> strangeDevices(const Program& program);

} // namespace shardscope

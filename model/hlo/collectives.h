// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a compiled program: what XLA made of it.
//
//     %g = bf16[16,8]{1,0} all-gather(%x), channel_id=1, replica_groups=[1,4]<=[4], dimensions={0},
//         use_global_device_ids=true, metadata={op_name="jit(step)/layers/dot_general"}
//
// inside the body of a while that runs 32 times, where %x is bf16[4,8]: an all-gather of 64 bytes to 256 bytes in
// groups of 4, 32 times in a step.
//
// An asynchronous collective counts once, at its start, whether it is an instruction of its own ("all-gather-start") or
// stands in a computation that async-start calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/taken_branches.h"
#include "hlo/attributes.h"
#include "hlo/groups.h"
#include "hlo/module.h"
#include "program/collective_groups.h"

namespace shardscope {

enum class HloCollectiveKind : std::uint8_t {
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    RaggedAllToAll,
    CollectivePermute,
    CollectiveBroadcast,
};
[[nodiscard]] std::string_view name(HloCollectiveKind kind); ///< "all-gather"

struct HloCollective {
    std::uint32_t instruction = 0;
    HloCollectiveKind kind = HloCollectiveKind::AllReduce;
    bool isAsync = false;
    std::vector<std::uint32_t> operands, results; ///< indices of the shapes of arrays
    std::int64_t bytesIn = 0, bytesOut = 0; ///< per device, once
    std::vector<std::int64_t> dimensions; ///< as the text has them; empty without
    std::optional<std::int64_t> channel;
    bool usesGlobalIds = false;
    /// What the text's groups and pairs number, in a program of several replicas of several partitions; else devices.
    GroupIds ids = GroupIds::Devices;
    HloGroups groups; ///< of all but collective-permute: devices, whatever the text numbers
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs; ///< of collective-permute: sender, receiver; likewise
    std::string_view reduction; ///< "add", "maximum"; empty without
    HloMetadata metadata;
    std::uint32_t line = 0; ///< of the text
    /// In a step: the product of the trips of the loops around it, summed over all calls. Each branch of
    /// a conditional counts as if it were taken. Nothing where a loop's trips cannot be told, or where the text ends
    /// before its entry.
    std::optional<std::int64_t> executions;
    /// The branches around it; conditionals go by their instructions. Of a computation that several instructions call
    /// those within it alone: it counts with all of its calls.
    BranchPath branches;
    /// Of an all-reduce of which every device goes on with its own part alone, a reduce-scatter to be: the shape of
    /// that part. By sizes: whatever reads it takes a dynamic slice of one part of as many as the group has devices.
    std::optional<std::uint32_t> slicedRightAfter;
};

struct HloLoop {
    std::uint32_t instruction = 0;
    std::uint32_t body = 0, condition = 0; ///< computations
    std::uint32_t line = 0;
    std::optional<std::int64_t> trips;
};

struct HloCollectives {
    std::vector<HloCollective> list; ///< in the order of the text
    std::vector<HloLoop> loops;
    /// The module's num_partitions times its replicas; where it states none, the largest device number of the
    /// collectives plus one.
    std::int64_t devices = 1;
};

/// Errors, with line and column: those of readGroups() and readPairs(); UndefinedName for computations;
/// DeviceOutOfRange for a device, replica or partition beyond those that the module states; DeviceCount where the
/// groups of a compiled program do not have every device once; TooLarge for groups of far too many devices.
[[nodiscard]] Result<HloCollectives> collectivesOf(const HloModule& module);

/// How often each computation runs in a step, by index; nothing where that cannot be told.
[[nodiscard]] Result<std::vector<std::optional<std::int64_t>>> executionsOf(
    const HloModule& module, const std::vector<HloLoop>& loops);

/// The branches around each computation, by index, as HloCollective has them.
[[nodiscard]] Result<std::vector<BranchPath>> branchesOf(const HloModule& module);

} // namespace shardscope

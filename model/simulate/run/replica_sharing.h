// SPDX-License-Identifier: GPL-3.0-or-later
// Which parts of the train state replicas can keep in common, because they hold the same bits at all times.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/plan.h"

namespace shardscope {

/// A device's part of an instruction that its replicas do together: elements part/parts to (part + 1)/parts.
struct WorkShare {
    std::int32_t part = 0;
    std::int32_t parts = 1;
};

struct ReplicaSharing {
    /// [slot][position]: the shard that the device holds; empty where every device has storage of its own.
    std::vector<std::vector<std::int32_t>> shards;
    /// [instruction][position]; empty where every device does all of it.
    std::vector<std::vector<WorkShare>> work;

    [[nodiscard]] bool isShared(SlotId slot) const { return slot.index < shards.size() && !shards[slot.index].empty(); }
};

/// Follows the bits through the plan: two devices have equal bits in a slot if what they computed it from was equal.
/// State is shared where every instruction that writes it is elementwise, writes nothing but such state, sharded alike,
/// and gives the same bits on all copies of a shard.
[[nodiscard]] ReplicaSharing shareReplicas(const Plan& plan);
/// About how many bytes shareReplicas() needs, its result included.
[[nodiscard]] double sharingBytes(const Plan& plan);

} // namespace shardscope

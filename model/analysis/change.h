// SPDX-License-Identifier: GPL-3.0-or-later
// What one analysis changes against another: an experiment before and after an edit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

/// Bytes in the memory of each device of parameters, gradients and moments; the largest number there is where they are
/// more.
[[nodiscard]] std::int64_t stateBytes(const Snapshot& snapshot);

struct Change {
    int parameters = 0; ///< sharded otherwise, held by another number of devices, in another memory, new or gone
    int others = 0; ///< the same of tensors that are no parameters
    std::int64_t stateBytesBefore = 0, stateBytesAfter = 0; ///< per device
    std::optional<Rational> sentBefore, sentAfter; ///< bytes per step and device; absent where no step can run

    [[nodiscard]] bool nothing() const { return parameters == 0 && others == 0; }
    bool operator==(const Change&) const = default;
};
/// Both laid out. Linear in the number of tensors.
[[nodiscard]] Change changeBetween(const Snapshot& before, const Snapshot& after);

/// One value that an edit shards differently.
struct ValueChange {
    ValueId before, after; ///< in the programs of the two snapshots
    TensorSharding old, now;
    std::int64_t bytesBefore = 0, bytesAfter = 0; ///< per device
};
struct ValueChanges {
    std::vector<ValueChange> values; ///< in the order of the second program, arguments first
    int compared = 0; ///< values that both programs have
    std::int64_t largerBytes = 0, smallerBytes = 0; ///< per device: what grows and what shrinks, added up
};
/// Values with the same path in both, and nameless ones where the program is the same. Both laid out. The axes
/// that shard the value, and over which it is partial, count; priorities and openness do not.
[[nodiscard]] ValueChanges valueChanges(const Snapshot& before, const Snapshot& after);
/// Bytes of the largest shard.
[[nodiscard]] std::int64_t bytesPerDevice(const TensorSharding& sharding, const TensorType& type);

} // namespace shardscope

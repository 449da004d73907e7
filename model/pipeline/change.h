// SPDX-License-Identifier: GPL-3.0-or-later
// What one analysis changes against another: an experiment before and after an edit.
#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/snapshot.h"

namespace shardscope {

/// Bytes per device of parameters, gradients and moments; the largest number there is where they are more.
[[nodiscard]] std::int64_t stateBytes(const Snapshot& snapshot);

struct Change {
    int parameters = 0; ///< cut otherwise, held by another number of devices, new or gone
    int others = 0; ///< the same of tensors that are no parameters
    std::int64_t stateBytesBefore = 0, stateBytesAfter = 0; ///< per device
    std::optional<Rational> sentBefore, sentAfter; ///< bytes per step and device; absent where no step can run

    [[nodiscard]] bool nothing() const { return parameters == 0 && others == 0; }
    bool operator==(const Change&) const = default;
};
/// Both laid out. Linear in the number of tensors.
[[nodiscard]] Change changeBetween(const Snapshot& before, const Snapshot& after);

} // namespace shardscope

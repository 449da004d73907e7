// SPDX-License-Identifier: GPL-3.0-or-later
// Why devices send more or less by the collectives of one kind along the same mesh axes: how often they run, over how
// many devices, or what they send each time.
//
//     fsdp=64 against fsdp=16, tensor=4, all-gathers along fsdp: 451 before and 452 after, yet less is sent
//         Array, 110 MiB each before and 26.3 MiB after, of layers.0/mlp/wi_0 and 95 others
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/collective_list.h"

namespace shardscope {

/// A cause counts where it makes up half of the difference, in its direction.
struct SentCause {
    enum class What : std::uint8_t {
        Times, ///< they run more or less often
        Group, ///< over more or fewer devices
        Array, ///< those of an array, and of others that are alike, send more or less each time
        Mean ///< none of these alone: times and bytes together
    };
    What what = What::Mean;
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t timesBefore = 0, timesAfter = 0; ///< in a step
    std::int64_t groupBefore = 0, groupAfter = 0; ///< devices; 0 where there are several sizes, or none
    double eachBefore = 0, eachAfter = 0; ///< bytes that a device sends each time: of the arrays, else the mean
    std::size_t example = 0; ///< of Array: an entry of the list after
    std::int64_t others = 0; ///< of Array: how many other arrays send the same each time, before and after
};

/// Of the entries of one kind and the same axes, of which either list may have none. Nothing where what is sent does
/// not differ.
[[nodiscard]] std::optional<SentCause> sentCause(const CollectiveList& before,
    const std::vector<std::size_t>& entriesBefore, const CollectiveList& after,
    const std::vector<std::size_t>& entriesAfter);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of devices in words, without looking at every one of them.
#pragma once

#include <QString>

#include "sharding/device_group.h"

namespace shardscope::words {

/// "d0, d4"; a range as "d4 … d7"; "d1, d5, …, d61" for more than four that leave some out.
[[nodiscard]] QString deviceNames(const DeviceGroup& group);
/// The same with the number where the names do not tell it: "d0, d4", "d4 … d7", "16 devices: d1, d5, …, d61".
[[nodiscard]] QString devices(const DeviceGroup& group);
/// Ids in ascending runs: "d0–d7", "d0–d3, d8–d11"; of more than four runs the first two and the last one,
/// "d0–d1, d4–d5, …, d60–d61".
[[nodiscard]] QString deviceRanges(std::vector<std::int32_t> ids);
/// How devices share an array, in one line: "16,384 devices, 16 different shards",
/// "8 devices, all with the same shard".
[[nodiscard]] QString shardCount(const Layout& layout);

} // namespace shardscope::words

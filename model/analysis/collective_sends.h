// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends to whom in a collective of a program, for a picture of its first groups of devices.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "program/program.h"

namespace shardscope {

struct CollectiveSends {
    std::vector<std::int32_t> devices; ///< of the groups that are drawn, at most maxDevices
    std::vector<std::pair<int, int>> sends; ///< places in `devices`
    std::int64_t groups = 1, drawn = 1; ///< of the collective, and those of them in the picture
    std::int64_t left = 0; ///< devices of the groups that are drawn without a place in the picture

    static constexpr std::size_t maxDevices = 8;
    bool operator==(const CollectiveSends&) const = default;
};
/// Nothing for an operation that is no collective of StableHLO.
[[nodiscard]] std::optional<CollectiveSends> sendsOf(const Operation& operation, std::int64_t devices);

} // namespace shardscope

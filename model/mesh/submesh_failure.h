// SPDX-License-Identifier: GPL-3.0-or-later
// Where on the machine T5X's refusal of a submesh shows: the devices that it begins with, and those that stand against
// it.
//
//     tpu-v4:4x4x4, submesh 3 × 1 × 1 × 1: it begins with x 0, 1, 2 of the first row; all chips at x 3 are left over
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/codes.h"
#include "mesh/t5x_mesh.h"

namespace shardscope {

struct SubmeshFailure {
    enum class Cause : std::uint8_t {
        TooLong, ///< the entry is larger than the hardware, or negative; no devices
        LeftOver, ///< after the last whole tile along the axis
        SplitHosts, ///< hosts of which the tile has a part
        HostsLeftOver, ///< after the last whole host along the axis
        OtherCores, ///< of the chips that the submesh takes
    };
    /// What is wrong with one entry.
    struct Part {
        std::size_t axis = 0; ///< x, y, z, core; or host, device of the host
        Cause cause = Cause::LeftOver;
        std::int32_t asked = 0; ///< the entry
        std::int32_t there = 0; ///< of the hardware, or of a host for SplitHosts
        std::vector<std::int32_t> devices; ///< a box of ids
        bool operator==(const Part&) const = default;
    };
    bool onChips = false; ///< axes are x, y, z, core
    std::vector<std::int32_t> first; ///< the submesh at the origin, as far as the hardware goes
    std::vector<Part> parts;
    bool operator==(const SubmeshFailure&) const = default;
};

/// Nothing for codes other than SubmeshNotFactor, HostTiling, HostNotFactor and ZMajorNeedsAllCores, and where the
/// submesh has not an entry for every direction. Looks at every device a few times.
[[nodiscard]] std::optional<SubmeshFailure> submeshFailure(
    const DeviceSet& devices, const HardwareMesh& submesh, Code code);

} // namespace shardscope

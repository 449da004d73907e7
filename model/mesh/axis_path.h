// SPDX-License-Identifier: GPL-3.0-or-later
// The way through the hardware along one mesh axis: what a ring of a collective has to walk.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mesh/device_places.h"
#include "mesh/mesh.h"

namespace shardscope {

/// The devices of the group of a mesh position along an axis, in their order.
[[nodiscard]] std::vector<std::int32_t> axisGroup(const Mesh& mesh, std::size_t axis, std::int64_t position);

/// The steps from neighbour to neighbour along an axis, over all groups.
///     TPU v4 4 x 4 x 4 as data 16, model 4 with model along x: steps of 1 link, back to the first in 1 link: a ring.
struct AxisSteps {
    std::int64_t size = 1; ///< devices of a group
    std::int64_t groups = 1;
    /// Links between chips that the longest step takes; absent without a chip grid, and where steps leave a slice.
    std::optional<std::int64_t> longest;
    /// The same from the last device back to the first one.
    std::optional<std::int64_t> closing;
    bool crosses = false; ///< some step leaves the slice (elsewhere: the host)

    /// Every step is one link at most, the closing one too.
    [[nodiscard]] bool isRing() const { return size > 2 && longest && closing && *longest <= 1 && *closing <= 1; }
    bool operator==(const AxisSteps&) const = default;
};
/// One pass over the mesh. The mesh's devices are those of `places`.
[[nodiscard]] AxisSteps axisSteps(const Mesh& mesh, const DevicePlaces& places, std::size_t axis);

} // namespace shardscope

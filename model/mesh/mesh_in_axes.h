// SPDX-License-Identifier: GPL-3.0-or-later
// One mesh in terms of another one's axes, where both are over the same devices. Every axis becomes axes or parts of
// axes of the other mesh; where the devices do not stand so, they are put in another order.
#pragma once

#include <optional>
#include <vector>

#include "mesh/axis_ref.h"

namespace shardscope {

struct MeshInAxes {
    MeshPtr mesh; ///< the axes of the other mesh, with each device where the axes below say
    std::vector<AxisList> axes; ///< per axis of the mesh: what it is made of, major first; empty for one of size 1
};

/// `mesh` over the axes of `main`. The same order of devices where both meshes split it at sizes that divide each
/// other, else one in which axes of one name and size are the same, and the others are put together from what is left.
/// Nothing where the two are not over the same devices.
///
///     main {x=2, y=4}, mesh {d=8}           d is x, y                  devices 0 .. 7
///     main {x=4, y=2}, mesh {p=2, q=4}      p is x:(1)2, q is x:(2)2, y    devices 0 .. 7
///     main {x=2, y=3}, mesh {p=3, q=2}      p is y, q is x             devices 0 2 4 1 3 5
[[nodiscard]] std::optional<MeshInAxes> inAxesOf(const Mesh& main, const Mesh& mesh);

/// The axes of `main`, with every device where `axes` say: per axis of `mesh` what it is made of.
[[nodiscard]] MeshPtr overAxes(const Mesh& main, const Mesh& mesh, const std::vector<AxisList>& axes);

/// The parts that an axis of the mesh, or a part of one, is made of, major first. Nothing where it begins or ends
/// within one of them at a size that does not divide it.
[[nodiscard]] std::optional<AxisList> partsOf(const MeshInAxes& mesh, AxisRef ref);
/// The same for a list, whose parts are merged where they continue each other.
[[nodiscard]] std::optional<AxisList> partsOf(const MeshInAxes& mesh, const AxisList& list);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh that a compiled program was partitioned over. XLA keeps groups of devices and, where it can, names of axes.
//
//     groups {0,4} {1,5} {2,6} {3,7}                         2 x 4: along the first axis
//     groups {0,1,2,3} {4,5,6,7}                             2 x 4: along the second
//     sharding={mesh['data'=2,'model'=4], [{}, {'model'}]}   the same, by the names of its axes
#pragma once

#include <vector>

#include "hlo/collectives.h"
#include "mesh/mesh.h"

namespace shardscope {

/// The mesh of the fewest axes, in rows, of which the groups of each collective are whole axes; its product is the
/// number of devices. A mesh that the text names counts as it is where it says as much, and gives its names else; axes
/// without one are axis_0, axis_1, ... Groups that fit no such mesh are left aside.
[[nodiscard]] std::vector<MeshAxis> explainingMesh(const HloModule& module, const HloCollectives& collectives);

} // namespace shardscope

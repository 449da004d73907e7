// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh axes along which a collective of a compiled program exchanges: XLA knows groups of devices only.
//
//     on {data=2, model=4}:  [2,4]<=[8]         {0,1,2,3} {4,5,6,7}          model
//                            [4,2]<=[2,4]T(1,0) {0,4} {1,5} {2,6} {3,7}      data
//                            [1,8]<=[8]         all of them                  data, model
#pragma once

#include <optional>

#include "hlo/collectives.h"
#include "mesh/axis_ref.h"

namespace shardscope {

/// The axes of `mesh`, in its order and without those of size 1, whose groups are those of the collective: by positions
/// in the mesh, as JAX numbers partitions, or else by device ids. Of a collective-permute the fewest axes within whose
/// groups all pairs stay. Nothing where there are none: other groups, or of another number of devices. A part of an
/// axis is found where it stands alone.
[[nodiscard]] std::optional<AxisList> axesOf(const HloCollective& collective, const Mesh& mesh);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with several meshes: rows and views speak of one, and the same axes over other devices are still drawn on
// the devices that they are over.
#pragma once

#include <vector>

#include "program/program.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

/// The mesh with the axes of `main` in their order, over the devices that `other` has at the same coordinates. Null
/// where the two do not have the same axes.
///
///     main {x=2, y=2} over 0 1 2 3, other {y=2, x=2} over 0 1 2 3  ->  {x=2, y=2} over 0 2 1 3
[[nodiscard]] MeshPtr inAxisOrderOf(const Mesh& main, const Mesh& other);

/// The sharding with axes numbered as in `main`, which has all of them.
[[nodiscard]] TensorSharding renumbered(TensorSharding sharding, const Mesh& from, const Mesh& main);

} // namespace shardscope

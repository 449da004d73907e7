// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with several meshes: rows and views speak of one, and the same axes over other devices are still drawn on
// the devices that they are over.
#pragma once

#include <vector>

#include "program/over_mesh.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

/// The sharding with axes numbered as in `main`, which has all of them.
[[nodiscard]] TensorSharding renumbered(TensorSharding sharding, const Mesh& from, const Mesh& main);

} // namespace shardscope

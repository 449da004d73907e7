// SPDX-License-Identifier: GPL-3.0-or-later
// Of what arrays the arguments of a compiled program are the parts.
//
//     %w = f32[64,4]{1,0} parameter(0), sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}
//     %w = f32[64,4]{1,0} parameter(0), sharding={mesh['data'=2,'model'=4], [{}, {'model'}]}
//
// on {data=2, model=4} are both a quarter of f32[64,16], sharded as [{}, {model}].
#pragma once

#include <optional>
#include <vector>

#include "hlo/module.h"
#include "mesh/mesh.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

/// Per array of the entry's parameters, in their order, over `mesh`; nothing where the text does not say it, or not
/// along these axes.
[[nodiscard]] std::vector<std::optional<TensorSharding>> argumentShardings(const HloModule& module, const Mesh& mesh);

} // namespace shardscope

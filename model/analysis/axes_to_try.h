// SPDX-License-Identifier: GPL-3.0-or-later
// Which mesh axes of size 1 are worth devices.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

/// Axes of size 1 along which the rules shard anything of the program, those first that add most to the axes that take
/// part: dimensions of parameters that are not sharded along these, then another kind of use (of the batch alone, say),
/// then other names. All of them, in the order of the mesh, where no array has logical names. None for a pipeline.
///
///     fsdp = 64 and twelve of size 1, MaxText's rules: tensor, data, ...
[[nodiscard]] std::vector<std::size_t> axesToTry(const Snapshot& snapshot);

} // namespace shardscope

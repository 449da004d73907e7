// SPDX-License-Identifier: GPL-3.0-or-later
// A search over meshes in words.
//
//     meshVerdict(...)       "front", "beaten by data 2 × model 4", or why it cannot be
//     batchSensitivity(...)  "data 1 × model 8 sends least with a batch of 128, from 512 on data 2 × model 4."
#pragma once

#include "analysis/mesh_search.h"
#include "words/words.h"

namespace shardscope::words {

[[nodiscard]] QString meshVerdict(const std::vector<MeshFigures>& meshes, std::size_t mesh);
/// "" without batches; `compared` is what they were tried on.
[[nodiscard]] QString batchSensitivity(
    const std::vector<BatchFigures>& batches, const std::vector<MeshFigures>& compared);

} // namespace shardscope::words

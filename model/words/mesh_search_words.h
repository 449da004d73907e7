// SPDX-License-Identifier: GPL-3.0-or-later
// A search over meshes in words.
//
//     meshVerdict(...)
//         "front", "beaten by data 2 × model 4", or why it cannot be: "does not fit: 27.3 GiB of 16 GiB"
//
//     meshReason(...)
//         the same, with all that is said of a problem: "W212: no array is sharded along x, so ..."
//
//     batchSensitivity(...)
//         "data 1 × model 8 sends least with a batch of 128, from 293 on data 2 × model 4."
#pragma once

#include "analysis/mesh_search.h"
#include "words/words.h"

namespace shardscope::words {

/// For a cell of a table.
[[nodiscard]] QString meshVerdict(const std::vector<MeshFigures>& meshes, std::size_t mesh);
[[nodiscard]] QString meshReason(const std::vector<MeshFigures>& meshes, std::size_t mesh);
/// Why no mesh can be used: "none; data 4 × model 8 does not fit: 30 GiB of 16 GiB". Empty where one can.
[[nodiscard]] QString batchProblem(const BatchFigures& batch, const std::vector<MeshFigures>& compared);
/// What is sent on the experiment's own mesh, and why that cannot be used: "48.9 GiB, does not fit: 21.9 GiB of 16
/// GiB".
[[nodiscard]] QString sentNow(const BatchFigures& batch);
/// batchProblem() of all batches, those that follow each other for the same reason as one: "With a batch of 512 to
/// 8,192 none of the meshes can be used. With 512, data 4 × model 8 does not fit: 30 GiB of 16 GiB."
[[nodiscard]] QStringList batchProblems(
    const std::vector<BatchFigures>& batches, const std::vector<MeshFigures>& compared);
/// "" without batches; `compared` is what they were tried on. Where it is not known from which batch on another mesh
/// sends least: "with 512 data 2 × model 4".
[[nodiscard]] QString batchSensitivity(
    const std::vector<BatchFigures>& batches, const std::vector<MeshFigures>& compared);

/// "Batches were tried on 9 of 28 meshes." Empty where they were tried on all.
[[nodiscard]] QString meshesOfBatches(const FoundMeshes& found);

} // namespace shardscope::words

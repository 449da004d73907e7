// SPDX-License-Identifier: GPL-3.0-or-later
// Which other meshes of as many devices there are, what an experiment comes to on each, and which of them sends least
// as the batch grows.
//
//     the MLP of the notebook on 8 devices, batch 512, axes data and model
//     meshes    1 x 8   16 MiB held   24.5 MiB sent   front: nothing holds less
//               2 x 4   32 MiB held   18.5 MiB sent   front: nothing sends less
//               4 x 2   64 MiB held   27.5 MiB sent   beaten by 2 x 4
//               8 x 1  128 MiB held   56 MiB sent     beaten by 2 x 4
//     batches   8: 1 x 8 sends least;   512: 2 x 4, from 293 on;   2048: 4 x 2, from 1171 on
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/analyse.h"

namespace shardscope {

/// What the experiment comes to on one mesh.
struct MeshFigures {
    std::vector<MeshAxis> axes;
    std::optional<std::int64_t>
        stateBytes; ///< per device, of parameters, gradients and moments; absent without a layout
    std::optional<std::int64_t> peakBytes; ///< of a device's memory over a step; absent where no step can run
    std::optional<Rational> sentBytes; ///< per device and step; absent where no step can run
    /// Why nobody would take it: the first error, more than the memory there is, an argument that JAX refuses for jit
    /// because it does not divide, an axis of which all positions do the same work (such a mesh sends nothing,
    /// because it shards nothing), or a program that has been partitioned over the experiment's own mesh.
    std::optional<Diagnostic> problem;
    /// The mesh that is better: among those without a problem whose state and sent bytes are both no larger, and one of
    /// them smaller, the one that sends least.
    std::optional<std::size_t> dominatedBy;
    [[nodiscard]] bool isFront() const { return stateBytes && sentBytes && !problem && !dominatedBy; }
    bool operator==(const MeshFigures&) const = default;
};

/// From a batch on another one of the meshes sends least.
struct BatchChange {
    std::int64_t from = 0; ///< the first such batch
    std::size_t least = 0; ///< of the meshes handed over
    bool operator==(const BatchChange&) const = default;
};

/// Of one batch.
struct BatchFigures {
    std::int64_t batch = 0;
    std::optional<Rational> sentNow; ///< on the experiment's own mesh; absent where no step can run
    std::optional<Diagnostic> problemNow; ///< why that mesh cannot be used with this batch
    /// Of the meshes handed over that can be used with this batch: the first one of those that send least.
    std::optional<std::size_t> least;
    std::optional<Rational> sentLeast;
    /// Of the batches after the one tried before, up to this one: where another mesh comes to send least, of those that
    /// can be used with both. Empty where none does, and where what the meshes send does not grow evenly in between, so
    /// that this is not known.
    std::vector<BatchChange> changes;
    /// Where none can be used: why not the one of `closest`, which of all meshes handed over needs least memory.
    std::optional<Diagnostic> problem;
    std::optional<std::size_t> closest;
    bool operator==(const BatchFigures&) const = default;
};

/// What a search gives.
struct FoundMeshes {
    /// The front first, then what can be used, what does not fit the memory, and the others; of each what sends least
    /// first, of what does not fit what needs least.
    std::vector<MeshFigures> meshes;
    /// Those that batches are tried on: the first eight on which all axes shard something, and the experiment's own.
    /// One that cannot be used with this batch may be with another.
    std::vector<MeshFigures> compared;
    std::size_t comparable = 0; ///< how many there are on which all axes shard something
    std::vector<BatchFigures> batches;
};

inline constexpr std::size_t maximumMeshes = 128;
/// All ways to give the devices of the mesh to its axes, in their order; its own is among them. Axes of size 1 take
/// part in `order` (by default that of the mesh) as long as there are no more than `most` ways; else they stay.
[[nodiscard]] std::vector<std::vector<MeshAxis>> otherMeshes(
    const MeshSetting& mesh, std::size_t most = maximumMeshes, const std::vector<std::size_t>* order = nullptr);
/// With these sizes of its axes, in their order; the experiment itself where it has them. Errors of withAxisSizes().
[[nodiscard]] Result<Experiment> onMesh(const Experiment& experiment, const std::vector<MeshAxis>& axes);

/// Those that a search tries, with axes of size 1 in the order of axesToTry().
[[nodiscard]] std::vector<std::vector<MeshAxis>> meshesToTry(const Snapshot& snapshot);
/// The axes whose sizes are not the same in all of them, and those of size 1 in all of them.
struct TriedAxes {
    std::vector<std::string> tried, left;
};
[[nodiscard]] TriedAxes triedAxes(const std::vector<MeshFigures>& meshes);

/// In the order of meshesToTry(). Empty where stopped.
[[nodiscard]] std::vector<MeshFigures> searchMeshes(
    const Experiment& experiment, AnalysisCache& cache, const std::stop_token& stop = {});

/// In the order of FoundMeshes::meshes.
void sortMeshes(std::vector<MeshFigures>& meshes);

/// Batches from a quarter of the experiment's to 1,024 times as many, in steps of 4, on its own mesh and on `meshes`.
/// Empty where it has no batch, or stopped.
[[nodiscard]] std::vector<BatchFigures> batchSensitivity(const Experiment& experiment,
    const std::vector<MeshFigures>& meshes, AnalysisCache& cache, const std::stop_token& stop = {});

/// Both.
[[nodiscard]] FoundMeshes findMeshes(
    const Experiment& experiment, AnalysisCache& cache, const std::stop_token& stop = {});

} // namespace shardscope

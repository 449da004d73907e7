// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules of an experiment make of the arrays that it lists: of a table, one array per row.
//
//     rules embed->fsdp, mlp->tensor on {fsdp=4, tensor=2}; wi (1024, 4096) f32 named embed, mlp
//     spec P(fsdp, tensor), shards of (256, 2048), 2 MiB per device
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/problems.h"
#include "pipeline/snapshot.h"
#include "sharding/layout.h"

namespace shardscope {

/// One array, resolved.
struct ResolvedArray {
    const ResolvedAnnotation* annotation = nullptr; ///< in ResolvedArrays::annotations
    bool constrained = true; ///< false: the fallback leaves it alone, or there is an error
    PartitionSpec spec; ///< closed form; as the dialect leaves it on this mesh and for this shape
    std::vector<DroppedAxes> dropped; ///< axes that the dialect left out
    std::optional<Layout> layout; ///< absent when the spec cannot be put on the mesh
    std::int64_t bytesPerDevice = 0;
};

struct ResolvedArrays {
    std::shared_ptr<const Annotations> annotations;
    RuleCensus census;
    std::vector<ResolvedArray> arrays; ///< in the experiment's order
    /// Findings about arrays and rules; rules that no array uses are in `census` alone.
    std::vector<Diagnostic> problems;
};

/// Of an experiment whose model is a list of arrays. What is wrong with one array is among `problems`. Errors: those of
/// buildProgram().
[[nodiscard]] Result<ResolvedArrays> resolveArrays(const Experiment& experiment, const MeshPtr& mesh);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// From a propagated program to one in which all that devices exchange is an operation (OpenXLA Shardy's export).
#pragma once

#include <vector>

#include "partition/export/canonicalize_collectives.h"
#include "partition/export/explicit_reshards.h"
#include "partition/true_shapes.h"
#include "propagation/pass_pipelines.h"

namespace shardscope::passes {

struct ExportOptions {
    /// Full version of explicit reshards, and every reshard as collectives.
    bool explicitCollectives = false;
    bool keepRedundantReshards = false;
    /// With `explicitCollectives`: the collectives that send the fewest bytes, not those of Shardy's sequence.
    bool optimalReshards = false;
    /// With `explicitCollectives`: see ReshardVersion::FullWithHalos.
    bool exchangesHalos = false;
    /// With `explicitCollectives`: dimensions that are sharded unevenly become longer, see padUneven(), and no
    /// collective shards unevenly on the way from one sharding to another.
    bool padUneven = false;
    /// With `explicitCollectives`: see dropFinishedSums().
    bool dropFinishedSums = false;
    /// With `explicitCollectives`: see mergeReshards() and dropUnusedCollectives().
    bool mergeReshards = false;
    /// With `explicitCollectives`: see canonicalizeCollectives().
    bool splitSums = false;
    /// With `explicitCollectives`: see remakeConstants().
    bool remakeConstants = false;
};

struct Exported {
    Program program;
    /// Reshards and collectives that stand in the program, each with its cause; ascending by operation. What becomes of
    /// a reshard of the program itself is a ConstraintReshard of it.
    std::vector<Inserted> inserted;
    TrueShapes trueShapes; ///< of values that padUneven() made longer
    Origins copies; ///< of remakeConstants(): copy and original
};

/// What belongs after exportPipeline() of propagation, which makes shardings final. Errors: those of explicit
/// reshards.
[[nodiscard]] Result<Exported> insertCollectives(Program program, const ExportOptions& options = {});

} // namespace shardscope::passes

// SPDX-License-Identifier: GPL-3.0-or-later
// The stages up to propagation: build, annotate, lay out. What follows is worked out when asked for (device_stages.h).
//
// Each stage reads the results of earlier stages from the snapshot and adds its own results and problems. It looks in
// the cache first: two experiments with the same program, mesh, shardings and strategy share one layout, together with
// everything that was computed from it on demand.
#pragma once

#include <stop_token>

#include "pipeline/cache.h"

namespace shardscope {

/// The program of an experiment. It is read once: shardings, sharding rules and memory kinds that the experiment gives
/// its values and operations do not matter. Errors: those of buildProgram().
[[nodiscard]] Result<SourcePtr> build(const Experiment& experiment, AnalysisCache& cache, bool& fromCache);

/// The snapshot's source over its mesh, with all annotations written into it as shardings: those that rules resolve to,
/// those of the text, and those that the experiment gives instead. Adds what is wrong with them to the problems.
[[nodiscard]] std::shared_ptr<const AnnotatedStage> annotate(Snapshot& snapshot, AnalysisCache& cache, bool& fromCache);

/// Propagates the sharding of every value into `snapshot`. Returns false if stopped.
[[nodiscard]] bool layOut(Snapshot& snapshot, std::shared_ptr<const AnnotatedStage> annotated, AnalysisCache& cache,
    const std::stop_token& stop, bool& fromCache);

} // namespace shardscope

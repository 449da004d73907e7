// SPDX-License-Identifier: GPL-3.0-or-later
// The stages up to propagation: build, annotate, lay out. What follows is worked out when asked for (device_stages.h).
//
// Each takes what the stages before it have left in the snapshot, adds its own results and problems, and looks them up
// in the cache first: what has been laid out with the same program, mesh, shardings and strategy is the same object,
// with what has been worked out of it since.
#pragma once

#include <stop_token>

#include "pipeline/cache.h"

namespace shardscope {

/// The program of an experiment. It is read once, whatever shardings, sharding rules and memories the experiment gives
/// its values and operations. Errors: those of buildProgram().
[[nodiscard]] Result<SourcePtr> build(const Experiment& experiment, AnalysisCache& cache, bool& fromCache);

/// The snapshot's source over its mesh, with all annotations inside: those of rules, and what a text says or the
/// experiment gives instead. What is wrong with them is among the problems.
[[nodiscard]] std::shared_ptr<const AnnotatedStage> annotate(Snapshot& snapshot, AnalysisCache& cache, bool& fromCache);

/// Every value's sharding. Returns false if stopped.
[[nodiscard]] bool layOut(Snapshot& snapshot, std::shared_ptr<const AnnotatedStage> annotated, AnalysisCache& cache,
    const std::stop_token& stop, bool& fromCache);

} // namespace shardscope

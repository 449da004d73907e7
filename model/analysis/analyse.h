// SPDX-License-Identifier: GPL-3.0-or-later
// The stages of pipeline/ in a row, with what is wrong or worth knowing: experiment -> program -> annotations ->
// propagation -> per-device program -> plan -> summary.
#pragma once

#include <cstdint>
#include <stop_token>

#include "pipeline/analysis_cache.h"
#include "pipeline/snapshot.h"

namespace shardscope {

/// The last stage that an analysis runs.
enum class LastStage : std::uint8_t {
    Propagation, ///< no per-device program, plan or memory, and no problems of these
    Plan, ///< no collectives, and no problems of the layout
    Summary,
};

/// Never fails as a whole: stages stop at the first error, which is among the problems. Null if stopped. Where there is
/// not enough memory the snapshot has no results, and OutOfMemory as its only problem.
[[nodiscard]] SnapshotPtr analyse(ExperimentPtr experiment, std::uint64_t revision, AnalysisCache& cache,
    std::stop_token stop = {}, LastStage last = LastStage::Summary);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The propagation of an experiment beside that of another strategy.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "analysis/analyse.h"
#include "propagation/differences.h"

namespace shardscope {

struct StrategyComparison {
    SnapshotPtr first; ///< the experiment as it is
    PropagationSetting setting; ///< of the other one
    SnapshotPtr second; ///< with that setting; it may not have been laid out, and there are no differences then
    std::vector<PropagationDifference> differences;
};

/// Null if stopped. `first` has to be laid out. Works out the other one by the cache, which should not be that of a
/// document: it would push the document's results out.
[[nodiscard]] std::shared_ptr<const StrategyComparison> compareStrategies(
    SnapshotPtr first, const PropagationSetting& setting, AnalysisCache& cache, std::stop_token stop = {});

} // namespace shardscope

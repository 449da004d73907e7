// SPDX-License-Identifier: GPL-3.0-or-later
// Ways to make a step need less memory on each device.
#pragma once

#include <stop_token>

#include "analysis/analyse.h"

namespace shardscope {

/// Edits after which a device needs less, for an experiment that needs more than it has (W209): rematerialised layers,
/// layers in a loop, a logical name that nothing shards onto a mesh axis along which its arrays are copied, a larger
/// mesh axis at the same number of devices, a smaller batch. Each was tried by analysing the experiment after it; those
/// that make it fit come first, and of the others those that need least; a network is tried with at most 64 of its
/// layers, which are alike. At most two; none where it was stopped, nor without a plan or memory. That takes several
/// times as long as an analysis: no snapshot waits for it.
[[nodiscard]] std::vector<Fix> memoryFixes(const Snapshot& snapshot, AnalysisCache& cache, const std::stop_token& stop);

/// Whether they would mend that problem of the snapshot: W209, acknowledged or not.
[[nodiscard]] bool asksForMemoryFixes(const Snapshot& snapshot, const Problem& problem);

} // namespace shardscope

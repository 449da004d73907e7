// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <vector>

#include "analysis/analyse.h"

namespace shardscope {

/// Arrays below it are never counted: norms and biases are replicated everywhere.
inline constexpr std::int64_t leastReplicatedBytes = std::int64_t{ 1 } << 20;

/// W244: parameters that every device holds in full, in an experiment that shards others, or values along dimensions of
/// their size. Layers that are alike count as one array. Said from a quarter of the parameters' bytes on a device; an
/// array counts from 1 MiB and from a hundredth of them. What a finding of its own tells of (W201, E101) is left out,
/// and so is what lies on the host.
///
/// Its fix maps a logical name of the largest one to a mesh axis, where that was tried and shards it.
[[nodiscard]] std::vector<Problem> replicatedParameterProblems(
    const Snapshot& snapshot, AnalysisCache& cache, const std::stop_token& stop);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Why axes are not there: for the axes that a value lacks, what held each up on its way from the nearest value that has
// it.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "pipeline/snapshot.h"
#include "propagation/blocker.h"

namespace shardscope {

struct AbsentAxis {
    std::size_t dimension = 0;
    AxisRef axis; ///< a full one
    std::optional<Blocker> blocker; ///< nothing: no value that it is connected with along this dimension has the axis
};

/// For every axis of more than one device that shards no dimension of the value, each dimension; with `dimension` every
/// axis that this dimension lacks. Those with a blocker first. Searches through the program: some milliseconds for
/// each. Nothing where it is stopped, or where nothing is propagated.
[[nodiscard]] std::vector<AbsentAxis> absentAxes(
    const Snapshot& snapshot, ValueId value, int dimension = -1, const std::stop_token& stop = {});

} // namespace shardscope

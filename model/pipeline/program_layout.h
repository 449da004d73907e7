// SPDX-License-Identifier: GPL-3.0-or-later
// The stages of a program that was read from a text: its own shardings over the experiment's mesh, propagated.
#pragma once

#include <stop_token>

#include "pipeline/cache.h"
#include "pipeline/snapshot.h"

namespace shardscope {

/// Fills in everything after the mesh: the program over it, problems, propagation, rows. What has been laid out with
/// the same mesh, shardings and rules is taken from the cache, with what has been worked out of it since
/// (Snapshot::deviceStages). Returns false if stopped.
[[nodiscard]] bool layOutProgram(Snapshot& snapshot, AnalysisCache& cache, std::stop_token stop);

/// The program of a text as the experiment has it: over its mesh, with its sharding rules and its shardings, before
/// anything propagates.
[[nodiscard]] const Program& programOf(const Snapshot& snapshot);

/// Rows are made of all values of main up to this many; of larger programs only of its arguments and results.
inline constexpr std::size_t maximumProgramRows = 4096;

} // namespace shardscope

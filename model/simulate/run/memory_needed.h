// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory a run will take, counted before any of it is taken.
#pragma once

#include "schedule/plan.h"
#include "simulate/run/run.h"

namespace shardscope {

/// Memory of the devices, tables of what moves, constants, scratch of so many threads. Counts in the order in which it
/// is taken later; stops where working it out would take too much itself. Too little when the run is stopped
/// meanwhile. Errors: NotExecutable.
[[nodiscard]] Result<double> runBytes(
    const Plan& plan, ReplicaMode replicas, int threads, double limit, const std::stop_token& stop = {});

/// OutOfMemory, as Run::create() gives it, for a run that needs `needed` bytes. `limit` is the one that was decided by:
/// what the system leaves is another number each time somebody asks.
[[nodiscard]] tl::unexpected<Error> runOutOfMemory(
    const Plan& plan, const RunOptions& options, int threads, double needed, std::int64_t limit);

struct RunNeeds {
    double bytes = 0; ///< of runBytes()
    double traced = 0; ///< further bytes, of the trace
    std::int64_t limit = 0; ///< that was decided by
};
/// Whether there is room for a run, with its trace and what the caller takes besides. Errors: OutOfMemory, as
/// Run::create() gives it; NotExecutable.
[[nodiscard]] Result<RunNeeds> checkRunMemory(const Plan& plan, const RunOptions& options);
/// The same of a plan that is too large for any machine: `tooLarge` is what schedule() says, on each of the devices.
[[nodiscard]] Error runOutOfMemory(const Error& tooLarge, std::int64_t devices, const RunOptions& options);

} // namespace shardscope

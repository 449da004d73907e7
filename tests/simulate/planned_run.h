// SPDX-License-Identifier: GPL-3.0-or-later
// One step of any partitioned program by its plan, for comparison with other ways to compute it. Without Qt.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "schedule/plan.h"
#include "simulate/executed.h"
#include "simulate/run/run.h"

namespace shardscope::test {

inline Result<std::unique_ptr<Run>> plannedRun(std::shared_ptr<const PartitionedProgram> parts,
    const kernels::Arrays& arguments, int threads, bool fuse = true, StepState state = {})
{
    const ProgramPtr source = specifiedOf(*parts);
    Result<FlatProgram> flat = flatten(source, std::move(parts), std::move(state));
    if (!flat)
        return tl::unexpected<Error>(flat.error());
    Result<Plan> plan = schedule(std::make_shared<const FlatProgram>(std::move(*flat)), { fuse, {} });
    if (!plan)
        return tl::unexpected<Error>(plan.error());
    RunOptions options;
    options.threads = threads;
    options.initial.arrays = arguments;
    return Run::create(std::make_shared<const Plan>(std::move(*plan)), options);
}

inline Result<Execution> runPlanned(
    std::shared_ptr<const PartitionedProgram> parts, const kernels::Arrays& arguments, int threads, bool fuse = true)
{
    auto run = plannedRun(std::move(parts), arguments, threads, fuse);
    if (!run)
        return tl::unexpected<Error>(run.error());
    (*run)->step();
    if (const std::optional<Error> failure = (*run)->failure())
        return tl::unexpected<Error>(*failure);
    return resultsOf(**run);
}

} // namespace shardscope::test

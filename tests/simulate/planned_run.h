// SPDX-License-Identifier: GPL-3.0-or-later
// One step of any partitioned program by its plan, for comparison with other ways to compute it. Without Qt.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "schedule/plan.h"
#include "simulate/evaluate/partitioned.h"
#include "simulate/run.h"

namespace shardscope::test {

struct PlannedOutcome {
    evaluate::Arrays outputs; ///< full, per result of main
    bool copiesDiffer = false;
};

inline Result<std::unique_ptr<Run>> plannedRun(std::shared_ptr<const PartitionedProgram> parts,
    const evaluate::Arrays& arguments, int threads, bool fuse = true, StepState state = {})
{
    const auto given = std::make_shared<const Program>(parts->sharded);
    Result<FlatProgram> flat = flatten(given, std::move(parts), std::move(state));
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

inline Result<PlannedOutcome> runPlanned(
    std::shared_ptr<const PartitionedProgram> parts, const evaluate::Arrays& arguments, int threads, bool fuse = true)
{
    auto run = plannedRun(parts, arguments, threads, fuse);
    if (!run)
        return tl::unexpected<Error>(run.error());
    (*run)->step();
    if (const std::optional<Error> failure = (*run)->failure())
        return tl::unexpected<Error>(*failure);
    PlannedOutcome outcome;
    for (std::size_t r = 0; r < parts->device.outputs.size(); ++r) {
        const ShardedArray& how = parts->device.outputs[r];
        if (!isTensor(how.type.dtype)) {
            outcome.outputs.push_back({ how.type, {}, {} });
            continue;
        }
        evaluate::AssembledArray full = evaluate::assembleShards((*run)->shardsOfResult(r), how, parts->device.mesh);
        outcome.outputs.push_back(std::move(full.whole));
        outcome.copiesDiffer = outcome.copiesDiffer || full.differ.has_value();
    }
    return outcome;
}

} // namespace shardscope::test

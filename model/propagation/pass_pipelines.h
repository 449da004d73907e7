// SPDX-License-Identifier: GPL-3.0-or-later
// Import, propagation and export in a row.
//
//     const auto outcome = passes::propagationPipeline(std::move(program));
//     if (outcome)
//         print(outcome->program);          // with every sharding, ready to be partitioned
//         outcome->propagation.log          // over outcome->propagated
#pragma once

#include <vector>

#include "program/program.h"
#include "propagation/propagate.h"

namespace shardscope::passes {

struct PipelineOptions {
    /// One body for all calls of a function, instead of one for each call.
    bool dedupFunctionsFully = false;
    Strategy strategy = Strategy::Full;
    /// Edges of calls are made by the pipeline.
    PropagationOptions propagation = {};
    /// What functions take and return stays sharded as it is where that does not divide, to be padded.
    bool keepUneven = false;
    bool operator==(const PipelineOptions&) const = default;
};

struct PipelineOutcome {
    Program program; ///< after the export
    Program propagated; ///< before it: constants are split, calls are regions, edges are operations
    PropagationResult propagation; ///< over `propagated`
    std::vector<Diagnostic> warnings;
};

/// The passes before propagation, without those for calls (importFunctionCalls()).
[[nodiscard]] Result<Program> importPipeline(Program program, PipelineOptions options = {});
/// Everything before propagation.
[[nodiscard]] Result<Program> importProgram(Program program, PipelineOptions options = {});
/// As much of it as leaves a program as a person reads it: loops, computations and calls stay, and propagation passes
/// their boundaries by implicit edges. Every call has a body of its own (copies stand after what there was), constants
/// are split, constraints and groups applied, axes of size 1 leave the shardings.
[[nodiscard]] Result<Program> prepareInPlace(Program program);
/// What belongs after propagation, without reshards: constants are merged, constraints are reshards, what comes in and
/// goes out keeps only what divides, all is closed. Error: UnreducedAxes.
/// `keepUneven`: see PipelineOptions.
[[nodiscard]] Result<Program> exportPipeline(Program program, bool keepUneven = false);
[[nodiscard]] Result<PipelineOutcome> propagationPipeline(Program program, PipelineOptions options = {});

/// A warning for every group whose members have other shardings than the first that has one.
[[nodiscard]] std::vector<Diagnostic> groupConflicts(const Program& program);

} // namespace shardscope::passes

// SPDX-License-Identifier: GPL-3.0-or-later
// Passes by name, for libraries that add theirs to those of propagation.
#pragma once

#include <span>
#include <string_view>

#include "propagation/passes/passes.h"
#include "propagation/passes/pipelines.h"

namespace shardscope::passes {

/// What a pass may be told.
struct PassOptions {
    bool dedupFunctionsFully = false;
    bool conservative = false;
    ConflictResolution resolution = ConflictResolution::Aggressive;
    // Of the passes around reshards and collectives.
    bool fullVersion = false;
    bool explicitCollectives = false;
    bool keepRedundantReshards = false;
    bool leaveCollectivesToProducts = false;
};
/// With edges as operations.
[[nodiscard]] PipelineOptions pipelineOptions(const PassOptions& options);

struct PassRow {
    std::string_view name;
    Result<PassOutcome> (*pass)(Program, const PassOptions&);
};

/// run() of passes.h with further passes, which count before those of the same name.
[[nodiscard]] Result<PassOutcome> run(
    Program program, const std::vector<PassCall>& calls, std::span<const PassRow> more);

} // namespace shardscope::passes

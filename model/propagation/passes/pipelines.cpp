// SPDX-License-Identifier: GPL-3.0-or-later
// The passes in the order in which they belong together.
#include "propagation/passes/passes.h"

namespace shardscope::passes {

Result<Program> importPipeline(Program program, PipelineOptions options)
{
    program = dropUnusedFunctions(std::move(program));
    program = liftInlinedMeshes(std::move(program));
    program = removeSizeOneAxes(std::move(program));
    program = propagateFromFunctionsToCalls(std::move(program));
    program = splitConstants(std::move(program));
    program = dropUnusedFunctions(std::move(program));
    Result<Program> cleaned = cleanUpManualAxes(std::move(program));
    if (!cleaned)
        return cleaned;
    program = addDataFlowEdges(std::move(*cleaned));
    if (!options.dedupFunctionsFully)
        return program;
    return importShardingGroups(applyShardingConstraints(std::move(program)));
}

} // namespace shardscope::passes

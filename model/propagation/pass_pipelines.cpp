// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/pass_pipelines.h"

#include "base/codes.h"
#include "program/verify_findings.h"
#include "program/verify_shardings.h"
#include "propagation/calls/call_graph.h"
#include "propagation/pass_support.h"
#include "propagation/passes.h"
#include "propagation/propagate_program.h"
#include "propagation/sharding_groups.h"

namespace shardscope::passes {

Result<Program> prepareInPlace(Program program)
{
    program = removeSizeOneAxes(liftInlinedMeshes(importCustomCalls(std::move(program))));
    program = propagateFromFunctionsToCalls(std::move(program));
    program = splitConstants(std::move(program));
    SHARDSCOPE_CHECK(checkFlattened(program));
    program = flattenCallGraph(std::move(program));
    SHARDSCOPE_TRY(cleaned, cleanUpManualAxes(std::move(program)));
    return importShardingGroups(applyShardingConstraints(std::move(*cleaned)));
}

Result<Program> importPipeline(Program program, PipelineOptions options)
{
    program = dropUnusedFunctions(importCustomCalls(std::move(program)));
    program = liftInlinedMeshes(std::move(program));
    program = removeSizeOneAxes(std::move(program));
    program = propagateFromFunctionsToCalls(std::move(program));
    program = splitConstants(std::move(program));
    program = dropUnusedFunctions(std::move(program));
    SHARDSCOPE_TRY(cleaned, cleanUpManualAxes(std::move(program)));
    program = addDataFlowEdges(std::move(*cleaned));
    if (!options.dedupFunctionsFully)
        return program;
    return importShardingGroups(applyShardingConstraints(std::move(program)));
}

Result<Program> importProgram(Program program, PipelineOptions options)
{
    SHARDSCOPE_TRY(imported, importPipeline(std::move(program), options));
    if (options.dedupFunctionsFully)
        return addFunctionDataFlowEdges(orderFunctions(std::move(*imported)));
    SHARDSCOPE_CHECK(checkFlattened(*imported));
    program = importFunctionCalls(flattenCallGraph(std::move(*imported)));
    return importShardingGroups(applyShardingConstraints(std::move(program)));
}

Result<Program> exportPipeline(Program program, bool keepUneven)
{
    program = mergeConstants(std::move(program));
    program = sinkDataFlowEdges(std::move(program));
    program = dropUnusedReshards(constraintsToReshards(removeShardingGroups(std::move(program))));
    program = keepDivisors(std::move(program), keepUneven ? DivisorBoundaries::OfManual : DivisorBoundaries::All);
    program = removeSubAxes(std::move(program));
    program = closeShardings(std::move(program));
    // Uneven shardings are kept for what is to be executed.
    if (std::optional<Diagnostic> found =
            verifyUnreduced(program, keepUneven ? PartsRule::Computable : PartsRule::Shardy))
        return tl::unexpected<Error>(std::move(*found));
    return program;
}

std::vector<Diagnostic> groupConflicts(const Program& program)
{
    std::vector<Diagnostic> warnings;
    const std::vector<ShardingGroup> groups = shardingGroups(program);
    if (groups.empty())
        return warnings;
    const ValueShardings shardings(program);
    for (const ShardingGroup& group : groups) {
        const ProgramSharding* common = nullptr;
        for (const OperationId id : group.operations) {
            const ValueId member = program.operation(id).operands[0];
            const ProgramSharding* own = shardings.of(member);
            if (!own || isFullyOpen(own->sharding))
                continue;
            if (common && !(own->sharding == common->sharding && own->mesh == common->mesh)) {
                const auto text = [&](const ProgramSharding& sharding) {
                    return verification::shardingText(program.meshes[sharding.mesh], sharding.sharding);
                };
                warnings.push_back(verification::diagnosticAt(program, Code::ShardingGroupConflict,
                    { { "group", group.group }, { "found", text(*own) }, { "expected", text(*common) } },
                    { .operation = id, .role = "operand", .value = member }));
                break;
            }
            common = own;
        }
    }
    return warnings;
}

Result<PipelineOutcome> propagationPipeline(Program program, PipelineOptions options)
{
    SHARDSCOPE_TRY(imported, importProgram(std::move(program), options));
    PipelineOutcome outcome;
    outcome.warnings = groupConflicts(*imported);
    PropagatedProgram propagated = propagateProgram(*imported, options.strategy, options.propagation);
    outcome.propagation = std::move(propagated.result);
    outcome.propagated = std::move(propagated.program);
    program = outcome.propagated;
    if (options.dedupFunctionsFully) {
        program = sinkFunctionDataFlowEdges(propagateToFunctionResults(std::move(program)));
        program = insertCallReshards(unflattenCallGraph(std::move(program)));
    } else {
        program = propagateToFunctionResults(exportNamedComputations(std::move(program)));
        program = insertCallReshards(unflattenCallGraph(std::move(program)));
    }
    SHARDSCOPE_TRY(exported, exportPipeline(std::move(program), options.keepUneven));
    outcome.program = std::move(*exported);
    return outcome;
}

} // namespace shardscope::passes

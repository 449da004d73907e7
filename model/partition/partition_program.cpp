// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/partition_program.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/codes.h"
#include "partition/common_mesh.h"
#include "partition/legalize.h"
#include "partition/partial_axes.h"
#include "program/op_row.h"
#include "program/over_mesh.h"
#include "program/value_shardings.h"
#include "program/verify_findings.h"
#include "propagation/calls/call_graph.h"
#include "propagation/import/manual_regions.h"
#include "propagation/passes.h"
#include "propagation/propagate_program.h"

namespace shardscope {

namespace {

/// Every dimension closed, nothing replicated by order, no priorities, no axes of size 1.
TensorSharding toShow(const TensorSharding& sharding)
{
    TensorSharding result = TensorSharding::fullyReplicated(sharding.rank());
    for (std::size_t d = 0; d < sharding.rank(); ++d)
        for (const AxisRef& axis : sharding.dims[d].axes)
            if (axis.size > 1)
                result.dims[d].axes.push_back(axis);
    for (const AxisRef& axis : sharding.unreduced)
        if (axis.size > 1)
            result.unreduced.push_back(axis);
    return result;
}

std::int64_t shards(const TensorSharding& sharding)
{
    std::int64_t count = 1;
    for (const DimensionSharding& dim : sharding.dims)
        count *= shardCount(dim);
    return count;
}

/// Why legalizeForDevices() put a reshard there: an operation cannot read it sharded as it was, or its result goes
/// back to the sharding that it had.
Reason reasonOfLegal(const Program& program, OperationId reshard, const ValueShardings& shardings,
    const std::vector<std::vector<OperationId>>& users)
{
    const Operation& operation = program.operation(reshard);
    const ProgramSharding* from = shardings.of(operation.operands[0]);
    const ProgramSharding* to = ownSharding(operation);
    const OperationId maker = program.value(operation.operands[0]).definition;
    if (from && to && shards(to->sharding) > shards(from->sharding) && maker.valid())
        return { Reason::Kind::ResultReshard, maker, -1, 0 };
    const ValueId result = operation.results[0];
    if (users[result.index].empty())
        return { Reason::Kind::ReturnReshard, {}, -1, 0 };
    const OperationId user = users[result.index].front();
    const auto& operands = program.operation(user).operands;
    const auto* slot = std::find(operands.begin(), operands.end(), result);
    return { Reason::Kind::OperandReshard, user, -1, static_cast<std::int32_t>(slot - operands.begin()) };
}

/// Those of the reshards of legalizeForDevices(), which are the operations from `first` on.
std::vector<std::optional<Reason>> reasonsOfLegal(const Program& legal, std::size_t first)
{
    std::vector<std::optional<Reason>> reasons(legal.operations.size() - first);
    if (reasons.empty())
        return reasons;
    const ValueShardings shardings(legal);
    const std::vector<std::vector<OperationId>> users = usersOf(legal);
    for (std::size_t i = 0; i < reasons.size(); ++i)
        if (const OperationId id(first + i); legal.operation(id).kind == OpKind::Reshard)
            reasons[i] = reasonOfLegal(legal, id, shardings, users);
    return reasons;
}
void nameLegalReasons(
    std::vector<passes::Inserted>& inserted, const std::vector<std::optional<Reason>>& reasons, std::size_t first)
{
    for (passes::Inserted& one : inserted) {
        const OperationId id = one.reason.operation;
        if (one.reason.kind == Reason::Kind::ConstraintReshard && id.valid() && id.index >= first
            && id.index - first < reasons.size() && reasons[id.index - first])
            one.reason = *reasons[id.index - first];
    }
}

/// What importCustomCalls() could not make a manual computation of.
Result<void> checkShardBoundaries(const Program& program)
{
    if (!passes::hasShardBoundaries(program))
        return {};
    std::optional<Error> wrong;
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) {
            const Operation& operation = program.operation(id);
            if (wrong || !passes::isShardBoundary(operation))
                return;
            wrong = fail(Code::NotExecutable, { { "op", qualifiedName(operation) }, { "wrong", "shard_boundary" } })
                        .value();
            wrong->where.line = static_cast<int>(program.sources[operation.source].line);
            wrong->where.column = static_cast<int>(program.sources[operation.source].column);
        });
    if (wrong)
        return tl::unexpected<Error>(std::move(*wrong));
    return {};
}

/// What devices run: main, and what it calls.
Program runByDevices(Program program)
{
    program = passes::importCustomCalls(std::move(program));
    for (std::size_t f = 1; f < program.functions.size(); ++f)
        program.functions[f].isPublic = false;
    return passes::dropUnusedFunctions(std::move(program));
}
Program withoutSizeOneAxes(Program program)
{
    return passes::removeSizeOneAxes(passes::liftInlinedMeshes(std::move(program)));
}

/// The program over one set of devices, each of which takes part in everything.
Result<Program> checkedForDevices(Program program)
{
    program = runByDevices(std::move(program));
    SHARDSCOPE_CHECK(checkShardBoundaries(program));
    program = withoutSizeOneAxes(std::move(program));
    SHARDSCOPE_CHECK(checkSingleDevices(program));
    return overCommonAxes(std::move(program));
}

/// Reshards and collectives for a program as the export passes leave it.
Result<ShardedProgram> shardExported(Program program, std::vector<Diagnostic> warnings, const PartitionOptions& options)
{
    SHARDSCOPE_CHECK(checkExplicitSums(program));
    passes::ExportOptions exported;
    exported.explicitCollectives = true;
    exported.optimalReshards = options.optimalReshards;
    exported.exchangesHalos = true;
    exported.mergeReshards = true;
    exported.splitSums = true;
    exported.remakeConstants = true;
    exported.dropFinishedSums = true;
    exported.padUneven = true;
    const std::size_t own = program.operations.size();
    Program legal = legalizeForDevices(std::move(program));
    const std::vector<std::optional<Reason>> reasons = reasonsOfLegal(legal, own);
    SHARDSCOPE_TRY(collectives, passes::insertCollectives(std::move(legal), exported));
    nameLegalReasons(collectives->inserted, reasons, own);
    return ShardedProgram{ std::move(collectives->program), std::move(collectives->inserted), std::move(warnings),
        std::move(collectives->trueShapes), std::move(collectives->copies) };
}

} // namespace

Result<void> checkCommonAxes(const Program& program)
{
    if (program.meshes.size() > 1)
        SHARDSCOPE_CHECK(overCommonAxes(withoutSizeOneAxes(runByDevices(program))));
    return {};
}

Result<ShardedProgram> shardProgram(Program program, const PartitionOptions& options)
{
    SHARDSCOPE_TRY(ready, checkedForDevices(std::move(program)));
    passes::PipelineOptions pipeline = options.pipeline;
    pipeline.keepUneven = true;
    pipeline.dedupFunctionsFully = false; // axes are manual in a function or not, as they are around its one caller
    SHARDSCOPE_TRY(propagated, passes::propagationPipeline(std::move(*ready), pipeline));
    return shardExported(std::move(propagated->program), std::move(propagated->warnings), options);
}

Result<ShardedProgram> shardPropagated(
    const Program& program, const PropagationResult& propagated, bool optimalReshards)
{
    Program all = withShardings(program, propagated, true);
    for (const StatePair& pair : program.state)
        if (pair.result < all.main().results.size()) {
            std::vector<ShardingIndex>& results = all.functions.front().resultShardings;
            results.resize(all.main().results.size(), 0);
            results[pair.result] = all.valueShardings[pair.argument.index];
        }
    SHARDSCOPE_TRY(ready, checkedForDevices(std::move(all)));
    Program merged = passes::propagateToFunctionResults(passes::exportNamedComputations(std::move(*ready)));
    merged = passes::insertCallReshards(passes::unflattenCallGraph(std::move(merged)));
    SHARDSCOPE_TRY(exported, passes::exportPipeline(std::move(merged), true));
    PartitionOptions options;
    options.optimalReshards = optimalReshards;
    return shardExported(std::move(*exported), {}, options);
}

std::vector<std::optional<TensorSharding>> shownShardings(const Program& program, const PropagationResult& propagated)
{
    std::vector<std::optional<TensorSharding>> shown(program.values.size());
    const std::optional<std::uint32_t> main = mainMesh(program);
    struct Shown {
        const TensorSharding* of = nullptr;
        TensorSharding sharding;
    };
    std::unordered_map<const DimensionSharding*, Shown> known; // by the list that equal shardings share
    const auto add = [&](ValueId value) {
        const std::uint32_t mesh = propagated.meshes[value.index];
        if (mesh != 0 && mesh - 1 != main)
            return;
        const TensorSharding& sharding = propagated.shardings[value.index];
        Shown& one = known[sharding.dims.data()];
        if (!one.of || !(*one.of == sharding))
            one = { &sharding, toShow(sharding) };
        shown[value.index] = one.sharding;
    };
    for (const ValueId argument : program.main().arguments)
        add(argument);
    for (const OperationId id : program.main().operations)
        for (const ValueId result : program.operation(id).results)
            add(result);
    return shown;
}

Result<PartitionedProgram> partitionUnchecked(std::shared_ptr<const ShardedProgram> sharded)
{
    SHARDSCOPE_TRY(device, localize(sharded->program, sharded->trueShapes));
    return PartitionedProgram{ std::move(sharded), std::move(*device) };
}

Result<void> checkDeviceProgram(const DeviceProgram& device)
{
    if (std::vector<Diagnostic> wrong = verify(device.program); !wrong.empty())
        return tl::unexpected(std::move(wrong.front()));
    return {};
}

Result<PartitionedProgram> partitionProgram(ShardedProgram sharded)
{
    SHARDSCOPE_TRY(parts, partitionUnchecked(std::make_shared<const ShardedProgram>(std::move(sharded))));
    SHARDSCOPE_CHECK(checkDeviceProgram(parts->device));
    return std::move(*parts);
}

Result<PartitionedProgram> partitionProgram(Program program, const PartitionOptions& options)
{
    SHARDSCOPE_TRY(sharded, shardProgram(std::move(program), options));
    return partitionProgram(std::move(*sharded));
}

Result<PartitionedProgram> partitionProgram(Program program, const passes::PipelineOptions& options)
{
    return partitionProgram(std::move(program), PartitionOptions{ options });
}

} // namespace shardscope

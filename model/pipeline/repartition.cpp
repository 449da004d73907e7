// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/repartition.h"

#include <new>

#include "base/codes.h"
#include "partition/partition.h"
#include "pipeline/program_layout.h"
#include "propagation/strategy.h"

namespace shardscope {

std::optional<Error> firstError(const Snapshot& snapshot)
{
    for (const Problem& problem : snapshot.problems)
        // Where arrays lie decides nothing of how they are cut and exchanged.
        if (problem.diagnostic.severity() == Severity::Error && problem.diagnostic.code != Code::MixedMemoryKinds
            && problem.diagnostic.code != Code::UnknownMemoryKind)
            return problem.diagnostic;
    return std::nullopt;
}

Result<DeviceProgram> partitionNetwork(const Snapshot& snapshot, bool optimalReshards)
{
    if (std::optional<Error> error = firstError(snapshot))
        return tl::unexpected<Error>(std::move(*error));
    if (!snapshot.propagation || !snapshot.annotations)
        return fail(Code::MissingMesh);
    PropagationInput input;
    input.program = snapshot.program;
    input.mesh = snapshot.mesh;
    for (const ResolvedAnnotation& result : snapshot.annotations->results) {
        std::optional<TensorSharding>& declared = input.results.emplace_back();
        if (result.spec)
            declared =
                toTensorSharding(*result.spec, *snapshot.mesh, snapshot.program->value(result.value).type.rank());
    }
    return partition(input, *snapshot.propagation, optimalReshards);
}

Result<ShardedProgram> shardText(const Snapshot& snapshot, bool optimalReshards)
{
    if (std::optional<Error> error = firstError(snapshot))
        return tl::unexpected<Error>(std::move(*error));
    PartitionOptions options;
    options.pipeline.strategy = engineStrategy(snapshot.experiment->propagation);
    options.pipeline.propagation = engineOptions(snapshot.experiment->propagation);
    options.optimalReshards = optimalReshards;
    return shardProgram(programOf(snapshot), options);
}

Result<PartitionedProgram> partitionText(const Snapshot& snapshot, bool optimalReshards)
{
    Result<ShardedProgram> sharded = shardText(snapshot, optimalReshards);
    if (!sharded)
        return tl::unexpected<Error>(std::move(sharded.error()));
    return partitionProgram(std::move(*sharded));
}

Result<evaluate::ProgramValuesPtr> valuesOfText(const Snapshot& snapshot, const evaluate::ProgramInputs& inputs)
{
    try {
        const Result<PartitionedProgram> parts = partitionText(snapshot, false);
        if (!parts)
            return tl::unexpected<Error>(parts.error());
        if (inputs.stop.stop_requested())
            return evaluate::ProgramValuesPtr();
        return evaluate::computeProgramValues(programOf(snapshot), *parts, inputs);
    } catch (const std::bad_alloc&) {
        return fail(Code::OutOfMemory);
    }
}

} // namespace shardscope

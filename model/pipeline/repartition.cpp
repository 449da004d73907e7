// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/repartition.h"

#include "base/codes.h"
#include "partition/partition.h"
#include "pipeline/program_collectives.h"
#include "pipeline/program_layout.h"

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

Result<PartitionedProgram> partitionText(const Snapshot& snapshot, bool optimalReshards)
{
    if (std::optional<Error> error = firstError(snapshot))
        return tl::unexpected<Error>(std::move(*error));
    PartitionOptions options = partitionOptions(*snapshot.experiment);
    options.optimalReshards = optimalReshards;
    return partitionProgram(programOf(snapshot), options);
}

} // namespace shardscope

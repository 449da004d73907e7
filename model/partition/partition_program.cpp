// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/partition_program.h"

#include "partition/legalize.h"

namespace shardscope {

Result<ShardedProgram> shardProgram(Program program, const PartitionOptions& options)
{
    auto propagated = passes::propagationPipeline(std::move(program), options.pipeline);
    if (!propagated)
        return tl::unexpected(propagated.error());
    passes::ExportOptions exported;
    exported.explicitCollectives = true;
    exported.optimalReshards = options.optimalReshards;
    exported.inlineMeshes = false;
    auto collectives = passes::insertCollectives(legalizeForDevices(std::move(propagated->program)), exported);
    if (!collectives)
        return tl::unexpected(collectives.error());
    return ShardedProgram{ std::move(collectives->program), std::move(collectives->inserted),
        std::move(propagated->warnings) };
}

Result<PartitionedProgram> partitionProgram(Program program, const PartitionOptions& options)
{
    Result<ShardedProgram> sharded = shardProgram(std::move(program), options);
    if (!sharded)
        return tl::unexpected(sharded.error());
    auto device = localize(sharded->program);
    if (!device)
        return tl::unexpected(device.error());
    // What a device would run is looked at once more as the program that it is.
    if (std::vector<Diagnostic> wrong = verify(device->program); !wrong.empty())
        return tl::unexpected(std::move(wrong.front()));
    return PartitionedProgram{ std::move(sharded->program), std::move(sharded->inserted), std::move(*device),
        std::move(sharded->warnings) };
}

Result<PartitionedProgram> partitionProgram(Program program, const passes::PipelineOptions& options)
{
    return partitionProgram(std::move(program), PartitionOptions{ options });
}

} // namespace shardscope

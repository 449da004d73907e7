// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/partition_program.h"

#include "partition/legalize.h"

namespace shardscope {

Result<PartitionedProgram> partitionProgram(Program program, const passes::PipelineOptions& options)
{
    auto propagated = passes::propagationPipeline(std::move(program), options);
    if (!propagated)
        return tl::unexpected(propagated.error());
    passes::ExportOptions exported;
    exported.explicitCollectives = true;
    exported.inlineMeshes = false;
    auto collectives = passes::insertCollectives(legalizeForDevices(std::move(propagated->program)), exported);
    if (!collectives)
        return tl::unexpected(collectives.error());
    auto device = localize(collectives->program);
    if (!device)
        return tl::unexpected(device.error());
    // What a device would run is looked at once more as the program that it is.
    if (std::vector<Diagnostic> wrong = verify(device->program); !wrong.empty())
        return tl::unexpected(std::move(wrong.front()));
    return PartitionedProgram{ std::move(collectives->program), std::move(collectives->inserted), std::move(*device),
        std::move(propagated->warnings) };
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// From a network that was annotated to what plans are made of, for tests of the later stages.
#pragma once

#include <memory>

#include "partition/partition_program.h"
#include "propagation/annotated_input.h"
#include "schedule/flat_program.h"

namespace shardscope {

inline Result<std::shared_ptr<const FlatProgram>> flatNetwork(const AnnotatedInput& input, bool optimalReshards = false)
{
    const PropagationInput imported = input;
    const PropagationResult propagated = propagate(imported);
    Result<ShardedProgram> sharded = shardPropagated(*imported.program, propagated, optimalReshards);
    if (!sharded)
        return tl::unexpected<Error>(sharded.error());
    Result<PartitionedProgram> parts = partitionProgram(std::move(*sharded));
    if (!parts)
        return tl::unexpected<Error>(parts.error());
    Result<FlatProgram> flat = flatten(input.program, std::make_shared<const PartitionedProgram>(std::move(*parts)),
        StepState{ StateSource::Program, input.program->state }, shownShardings(*imported.program, propagated));
    if (!flat)
        return tl::unexpected<Error>(flat.error());
    return std::make_shared<const FlatProgram>(std::move(*flat));
}

} // namespace shardscope

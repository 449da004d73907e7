// SPDX-License-Identifier: GPL-3.0-or-later
// A network that was annotated, with its collectives and what plans are made of, for tests. Without Qt.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "pipeline/program_collectives.h"
#include "schedule/flat_network.h"

namespace shardscope::test {

struct ListedNetwork {
    CollectiveList list;
    std::shared_ptr<const FlatProgram> flat;

    /// The scope of the operation that makes a collective needed, "backward/layers.0"; "" where none does.
    [[nodiscard]] std::string scopeOf(const CollectiveEntry& entry) const
    {
        return entry.reason && entry.reason->operation.valid()
            ? list.program->scopes[list.program->operation(entry.reason->operation).scope]
            : std::string();
    }
};

inline Result<ListedNetwork> listedNetwork(const AnnotatedInput& input, const PropagationResult& propagated)
{
    const ProgramPtr imported = PropagationInput(input).program;
    Result<ShardedProgram> sharded = shardPropagated(*imported, propagated);
    if (!sharded)
        return tl::unexpected<Error>(sharded.error());
    ListedNetwork made;
    made.list = listCollectives(std::make_shared<const ShardedProgram>(*sharded), *imported);
    Result<PartitionedProgram> parts = partitionProgram(std::move(*sharded));
    if (!parts)
        return tl::unexpected<Error>(parts.error());
    Result<FlatProgram> flat = flatten(input.program, std::make_shared<const PartitionedProgram>(std::move(*parts)),
        StepState{ StateSource::Program, input.program->state }, shownShardings(*imported, propagated));
    if (!flat)
        return tl::unexpected<Error>(flat.error());
    made.flat = std::make_shared<const FlatProgram>(std::move(*flat));
    return made;
}

inline Result<ListedNetwork> listedNetwork(const AnnotatedInput& input)
{
    return listedNetwork(input, propagate(input));
}

} // namespace shardscope::test

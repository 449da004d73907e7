// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/shardy_collective.h"

#include "partition/route.h"

namespace shardscope {

std::optional<CollectiveKind> shardyCollectiveKind(OpKind kind)
{
    switch (kind) {
    case OpKind::SdyAllReduce:
        return CollectiveKind::AllReduce;
    case OpKind::SdyAllGather:
        return CollectiveKind::AllGather;
    case OpKind::SdyReduceScatter:
        return CollectiveKind::ReduceScatter;
    case OpKind::SdyAllToAll:
        return CollectiveKind::AllToAll;
    case OpKind::SdyCollectivePermute:
        return CollectiveKind::CollectivePermute;
    case OpKind::SdyAllSlice:
        return CollectiveKind::AllSlice;
    default:
        return std::nullopt;
    }
}

Collective collectiveOf(const SdyCollectiveAttributes& attributes, CollectiveKind kind)
{
    Collective collective;
    collective.kind = kind;
    collective.perDimension = attributes.axesPerDimension;
    collective.axes = attributes.axes;
    collective.reduction = attributes.kind;
    for (const AxisMove& move : attributes.moves) {
        collective.sourceDimension = static_cast<std::int32_t>(move.source);
        collective.targetDimension = static_cast<std::int32_t>(move.target);
        for (const AxisRef axis : move.axes)
            collective.moved.push_back(axis);
    }
    return collective;
}

AxisList permutedAxes(const TensorSharding& before, const TensorSharding& after, const Mesh& mesh)
{
    return reshard::permutedAxes(reshard::listsOf(before), reshard::listsOf(after), mesh.rank());
}

Rational sentBytes(const SdyCollectiveAttributes& attributes, const Collective& collective, std::int64_t localBytes)
{
    if (attributes.moves.size() < 2)
        return ringBytes(collective.kind, product(axesOf(collective)), localBytes);
    Rational sum;
    for (const AxisMove& move : attributes.moves)
        sum += ringBytes(collective.kind, product(move.axes), localBytes);
    return sum;
}

} // namespace shardscope

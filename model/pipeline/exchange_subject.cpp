// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/exchange_subject.h"

#include "program/other_attributes.h"

namespace shardscope {

namespace {

void addAll(AxisList& list, const AxisList& axes)
{
    for (const AxisRef& axis : axes)
        list.push_back(axis);
}

} // namespace

ExchangeSubject exchangeSubject(const CollectiveList& list, const CollectiveEntry& entry)
{
    ExchangeSubject subject{ entry.type, entry.before, entry.after };
    if (entry.declaredGroups.empty() || entry.axes.empty())
        return subject; // of groups that no axes make there is nothing to be drawn beyond that
    const auto* declared =
        attributesAs<CollectiveAttributes>(list.sharded->program.operation(entry.operation).attributes);
    if (!declared)
        return subject;
    const std::size_t rank = entry.type.rank();
    const auto full = TensorSharding::fullyReplicated(rank);
    const auto sharded = [&](std::int64_t dimension) {
        TensorSharding sharding = full;
        if (dimension >= 0 && static_cast<std::size_t>(dimension) < rank)
            addAll(sharding.dims[static_cast<std::size_t>(dimension)].axes, entry.axes);
        return sharding;
    };
    const auto longer = [&](std::int64_t dimension) {
        Shape shape = entry.type.shape;
        if (dimension >= 0 && static_cast<std::size_t>(dimension) < rank)
            shape[static_cast<std::size_t>(dimension)] *= entry.groupSize;
        return shape;
    };
    TensorSharding partial = full;
    addAll(partial.unreduced, entry.axes);
    subject.ofOneGroup = true;
    switch (entry.kind) {
    case CollectiveKind::AllReduce:
        subject.before = std::move(partial);
        subject.after = full;
        break;
    case CollectiveKind::ReduceScatter:
        subject.before = std::move(partial);
        subject.after = sharded(declared->dimension);
        break;
    case CollectiveKind::AllGather:
        subject.type.shape = longer(declared->dimension);
        subject.before = sharded(declared->dimension);
        subject.after = full;
        break;
    case CollectiveKind::AllToAll:
        // Pieces of the split dimension go out; those that come in are put together along the other one.
        subject.type.shape = longer(declared->concatDimension);
        subject.before = sharded(declared->concatDimension);
        subject.after = sharded(declared->dimension);
        break;
    case CollectiveKind::CollectivePermute:
    case CollectiveKind::CollectiveBroadcast:
    case CollectiveKind::AllSlice:
        break;
    }
    return subject;
}

} // namespace shardscope

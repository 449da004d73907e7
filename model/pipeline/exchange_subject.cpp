// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/exchange_subject.h"

#include <algorithm>

#include "program/wide_attributes.h"

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
    if (entry.writtenGroups.empty() || entry.axes.empty())
        return subject; // of groups that no axes make there is nothing to be drawn beyond that
    const auto* written = wideAs<CollectiveAttributes>(list.sharded->program.operation(entry.operation).attributes);
    if (!written)
        return subject;
    const std::size_t rank = entry.type.rank();
    const auto whole = TensorSharding::fullyReplicated(rank);
    const auto cut = [&](std::int64_t dimension) {
        TensorSharding sharding = whole;
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
    TensorSharding partial = whole;
    addAll(partial.unreduced, entry.axes);
    subject.ofOneGroup = true;
    switch (entry.kind) {
    case CollectiveKind::AllReduce:
        subject.before = std::move(partial);
        subject.after = whole;
        break;
    case CollectiveKind::ReduceScatter:
        subject.before = std::move(partial);
        subject.after = cut(written->dimension);
        break;
    case CollectiveKind::AllGather:
        subject.type.shape = longer(written->dimension);
        subject.before = cut(written->dimension);
        subject.after = whole;
        break;
    case CollectiveKind::AllToAll:
        // Pieces of the split dimension go out; those that come in are put together along the other one.
        subject.type.shape = longer(written->concatDimension);
        subject.before = cut(written->concatDimension);
        subject.after = cut(written->dimension);
        break;
    case CollectiveKind::CollectivePermute:
    case CollectiveKind::AllSlice:
        break;
    }
    return subject;
}

} // namespace shardscope

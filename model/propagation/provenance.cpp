// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/propagate.h"

#include <algorithm>

namespace shardscope {

namespace {

/// The declared sharding of a result reaches its value by an identity; only from there does the chain go on to it.
bool isDeclared(const PropagationStep& step)
{
    return step.seed == SeedKind::Result;
}

/// The record, among the first `limit`, by which the value came to hold `axis`: the first one that brought all of it,
/// else the last one that brought a part of it (an axis that arrived in parts). `limit` if there is none.
template <class Accept>
std::size_t arrival(
    const std::vector<PropagationStep>& log, std::size_t limit, ValueId value, AxisRef axis, const Accept& accept)
{
    std::size_t partial = limit;
    for (std::size_t i = 0; i < limit; ++i) {
        if (log[i].to != value || !accept(log[i]))
            continue;
        if (contains(log[i].axis, axis))
            return i;
        if (overlaps(log[i].axis, axis))
            partial = i;
    }
    return partial;
}

} // namespace

std::vector<PropagationStep> provenance(
    const PropagationResult& result, ValueId value, std::size_t dimension, AxisRef axis)
{
    std::vector<PropagationStep> chain;
    if (!value.valid() || value.index >= result.shardings.size())
        return chain;
    const TensorSharding& sharding = result.shardings[value.index];
    if (dimension >= sharding.rank())
        return chain;
    const AxisList& held = sharding.dims[dimension].axes;
    if (std::none_of(held.begin(), held.end(), [&](AxisRef h) { return contains(h, axis); }))
        return chain;

    std::size_t found = arrival(result.log, result.log.size(), value, axis, [&](const PropagationStep& step) {
        return !isDeclared(step) && static_cast<std::size_t>(step.toDimension) == dimension;
    });
    std::size_t limit = result.log.size();
    while (found != limit) {
        const PropagationStep& step = result.log[found];
        chain.push_back(step);
        if (step.seed)
            break;
        limit = found;
        if (const auto part = overlap(step.axis, axis))
            axis = *part;
        const bool fromDeclared = step.from == step.to;
        found = arrival(result.log, limit, step.from, axis, [&](const PropagationStep& earlier) {
            return isDeclared(earlier) == fromDeclared && (!fromDeclared || earlier.toDimension == step.toDimension);
        });
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
}

} // namespace shardscope

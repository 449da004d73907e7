// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagate.h.
#include "propagation/propagate.h"

#include <algorithm>

namespace shardscope {

namespace {

constexpr std::size_t none = ~std::size_t{ 0 };

/// The declared sharding of a result reaches its value by an identity; only from there does the chain go on to it.
bool isDeclared(const PropagationStep& step)
{
    return step.seed == SeedKind::Result;
}

/// The records by what they write to.
class LogIndex {
public:
    explicit LogIndex(const PropagationResult& result)
        : m_result(result)
        , m_last(result.shardings.size(), none)
        , m_previous(result.log.size(), none)
    {
        for (std::size_t i = 0; i < result.log.size(); ++i) {
            std::size_t& last = m_last[result.representativeOf(result.log[i].to).index];
            m_previous[i] = last;
            last = i;
        }
    }

    /// The record, among the first `limit`, by which the value came to hold `axis`: the first one that brought all of
    /// it, else the last one that brought a part of it (an axis that arrived in parts).
    template <class Accept>
    [[nodiscard]] std::size_t arrival(std::size_t limit, ValueId value, AxisRef axis, const Accept& accept) const
    {
        std::size_t full = none;
        std::size_t partial = none;
        for (std::size_t i = m_last[m_result.representativeOf(value).index]; i != none; i = m_previous[i]) {
            const PropagationStep& step = m_result.log[i];
            if (i >= limit || !accept(step))
                continue;
            if (contains(step.axis, axis))
                full = i;
            else if (partial == none && overlaps(step.axis, axis))
                partial = i;
        }
        return full != none ? full : partial;
    }

private:
    const PropagationResult& m_result;
    std::vector<std::size_t> m_last; ///< per representative
    std::vector<std::size_t> m_previous; ///< per record: the one before it of the same tensor
};

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
    const AxisList& current = sharding.dims[dimension].axes;
    if (std::none_of(current.begin(), current.end(), [&](AxisRef h) { return contains(h, axis); }))
        return chain;

    const LogIndex index(result);
    std::size_t found = index.arrival(result.log.size(), value, axis, [&](const PropagationStep& step) {
        return !isDeclared(step) && static_cast<std::size_t>(step.toDimension) == dimension;
    });
    while (found != none) {
        const PropagationStep& step = result.log[found];
        chain.push_back(step);
        if (step.seed)
            break;
        if (const auto part = overlap(step.axis, axis))
            axis = *part;
        const bool fromDeclared = step.result >= 0;
        found = index.arrival(found, step.from, axis, [&](const PropagationStep& earlier) {
            if (isDeclared(earlier) != fromDeclared)
                return false;
            return !fromDeclared || (earlier.result == step.result && earlier.toDimension == step.toDimension);
        });
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
}

} // namespace shardscope

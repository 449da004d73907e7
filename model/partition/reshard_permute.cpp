// SPDX-License-Identifier: GPL-3.0-or-later
// Phase 2: other axes in the same shards.
// Declared in resharder.h.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "partition/resharder.h"

namespace shardscope::reshard {

namespace {

bool divides(std::int64_t a, std::int64_t b)
{
    return a % b == 0 || b % a == 0;
}

/// Several parts of `list` are bound for one place, but not side by side in the order in which they are wanted.
bool isScattered(const AxisList& list, const AxisList& out)
{
    std::ptrdiff_t before = -1;
    std::size_t at = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto* found = std::find(out.begin(), out.end(), list[i]);
        if (found == out.end())
            continue;
        const std::ptrdiff_t place = found - out.begin();
        if (before >= 0 && (place != before + 1 || i != at + 1))
            return true;
        before = place;
        at = i;
    }
    return false;
}

/// Takes parts of `pool` (in order) that divide what is left of `capacity`.
void fill(AxisList& into, std::int64_t& capacity, AxisList& pool)
{
    AxisList rest;
    for (AxisRef ref : pool) {
        const std::int64_t fits = std::gcd(capacity, std::int64_t{ ref.size });
        if (fits > 1) {
            into.push_back(takePrefix(ref, fits));
            capacity /= fits;
        }
        if (ref.size > 1)
            rest.push_back(ref);
    }
    pool = rest;
}

} // namespace

bool Resharder::wantsPermute() const
{
    for (std::size_t d = 0; d < rank(); ++d) {
        if (!m_in[d].empty() && !m_out[d].empty() && divides(m_in[d].front().size, m_out[d].front().size))
            return true;
        for (const AxisRef& wanted : m_out[d]) {
            if (has(m_in[d], wanted)) // in its dimension, but not in its place
                return true;
            if (hasAnywhere(m_in, wanted))
                continue;
            for (const AxisList& list : m_in)
                for (const AxisRef& current : list)
                    if (!hasAnywhere(m_out, current) && divides(current.size, wanted.size))
                        return true;
        }
    }
    for (std::size_t s = 0; s < rank(); ++s) {
        bool moving = false; // some axis further major will move to another dimension
        for (std::size_t i = 0; i < m_in[s].size(); ++i) {
            const bool moves = hasAnywhere(m_out, m_in[s][i]);
            if (moving && !moves && m_out[s].empty())
                return true;
            moving = moving || moves;
        }
        for (const AxisList& out : m_out)
            if (isScattered(m_in[s], out))
                return true;
    }
    return false;
}

void Resharder::permute()
{
    const std::size_t n = rank();
    Lists ownOut(n), ownGather(n), others(n), otherOut(n);
    SmallVector<std::int64_t, 6> capacity;
    Lists wanted(n); // parts of the target that have no place yet
    AxisList dropped; // parts that are in the way at the front of their dimension
    Lists kept(n);
    for (std::size_t d = 0; d < n; ++d) {
        capacity.push_back(product(m_in[d]));
        wanted[d] = m_out[d];
        dropFront(d, kept[d], dropped);
    }
    for (std::size_t d = 0; d < n; ++d)
        fill(ownOut[d], capacity[d], wanted[d]);
    AxisList homeless;
    for (const AxisList& list : wanted)
        for (const AxisRef& ref : list)
            homeless.push_back(ref);
    for (std::size_t d = 0; d < n; ++d)
        fill(otherOut[d], capacity[d], homeless);
    for (std::size_t d = 0; d < n; ++d) {
        AxisList pool;
        for (std::size_t i = kept[d].size(); i-- > 0;)
            pool.push_back(kept[d][i]);
        fill(ownGather[d], capacity[d], pool);
        std::reverse(ownGather[d].begin(), ownGather[d].end());
        for (const AxisRef& ref : pool)
            dropped.push_back(ref);
    }
    for (std::size_t d = 0; d < n; ++d)
        fill(others[d], capacity[d], dropped);

    Lists after = m_prefix;
    bool same = true;
    for (std::size_t d = 0; d < n; ++d) {
        AxisList fresh;
        for (const AxisList* list : { &ownOut[d], &ownGather[d], &others[d], &otherOut[d] })
            for (const AxisRef& ref : *list)
                appendMerged(fresh, ref);
        for (const AxisRef& ref : fresh)
            after[d].push_back(ref);
        same = same && fresh == merged(m_in[d]);
    }
    const bool fits = std::all_of(capacity.begin(), capacity.end(), [](std::int64_t rest) { return rest == 1; });
    if (fits && !same)
        emitPermute(std::move(after));
    else if (needsTargetOrder())
        emitPermute(m_current);
}

/// Axes to be gathered make room at the front for as much as is wanted there; the others keep their order.
void Resharder::dropFront(std::size_t d, AxisList& kept, AxisList& dropped) const
{
    AxisList in = merged(m_in[d]);
    AxisList out = merged(m_out[d]);
    std::size_t i = 0;
    std::size_t o = 0;
    while (i < in.size() && o < out.size() && divides(in[i].size, out[o].size)) {
        const std::int64_t both = std::gcd(in[i].size, out[o].size);
        addGathered(d, takePrefix(in[i], both), dropped);
        takePrefix(out[o], both);
        if (in[i].size == 1)
            ++i;
        if (out[o].size == 1)
            ++o;
    }
    for (; i < in.size(); ++i)
        addGathered(d, in[i], kept);
}

/// Those parts of `range` (held by dimension d) that nobody wants.
void Resharder::addGathered(std::size_t d, AxisRef range, AxisList& list) const
{
    for (const AxisRef& part : m_in[d]) {
        const std::optional<AxisRef> common = overlap(part, range);
        if (common && common->size > 1 && !hasAnywhere(m_out, part))
            list.push_back(*common);
    }
}

} // namespace shardscope::reshard

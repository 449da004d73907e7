// SPDX-License-Identifier: GPL-3.0-or-later
// Phases 1, 3 and 4: axes are sliced along, moved from dimension to dimension, and gathered.
// Declared in resharder.h.
#include <algorithm>
#include <numeric>

#include "partition/resharder.h"

namespace shardscope::reshard {

// Phase 1: slice what is not sharded yet.
void Resharder::slice()
{
    Lists added(rank());
    AxisList used; // parts that have found a place
    const auto isFree = [&](AxisRef ref) { return !hasAnywhere(m_in, ref) && !has(used, ref); };

    SmallVector<std::int64_t, 6> capacity;
    for (std::size_t d = 0; d < rank(); ++d)
        capacity.push_back(product(m_out[d]) / std::gcd(product(m_in[d]), product(m_out[d])));

    // An axis that will move from dimension s to t takes along the free axes that follow it there.
    for (std::size_t s = 0; s < rank(); ++s) {
        if (!m_out[s].empty() || m_in[s].empty())
            continue;
        for (std::size_t t = 0; t < rank(); ++t) {
            const auto* last = std::find(m_out[t].begin(), m_out[t].end(), m_in[s].back());
            if (last == m_out[t].end() || !m_in[t].empty())
                continue;
            std::int64_t shards = product(m_current[s]);
            if (last + 1 != m_out[t].end() && isFree(last[1]) && m_type.shape[s] % (shards * last[1].size) == 0)
                capacity[t] /= last->size;
            for (const auto* next = last + 1; next != m_out[t].end() && isFree(*next); ++next) {
                shards *= next->size;
                if (m_type.shape[s] % shards != 0)
                    break;
                added[s].push_back(*next);
                used.push_back(*next);
                capacity[t] /= next->size;
            }
        }
    }

    AxisList leftOver;
    for (std::size_t d = 0; d < rank(); ++d)
        for (AxisRef ref : m_out[d]) {
            if (!isFree(ref))
                continue;
            const std::int64_t fits = std::gcd(capacity[d], std::int64_t{ ref.size });
            capacity[d] /= fits;
            if (fits > 1)
                added[d].push_back(takePrefix(ref, fits));
            if (ref.size > 1)
                leftOver.push_back(ref);
        }
    for (AxisRef ref : leftOver)
        for (std::size_t d = 0; d < rank() && ref.size > 1; ++d) {
            const std::int64_t fits = std::gcd(capacity[d], std::int64_t{ ref.size });
            capacity[d] /= fits;
            if (fits > 1)
                added[d].push_back(takePrefix(ref, fits));
        }

    if (std::all_of(added.begin(), added.end(), [](const AxisList& list) { return list.empty(); }))
        return;
    Lists after = m_current;
    for (std::size_t d = 0; d < rank(); ++d)
        for (const AxisRef& ref : added[d])
            after[d].push_back(ref);
    emitPerDimension(CollectiveKind::AllSlice, added, std::move(after));
}

// Phase 3: axes from one dimension to another.
bool Resharder::exchange(bool finalPlaceOnly)
{
    for (std::size_t s = 0; s < rank(); ++s) {
        if (m_in[s].empty())
            continue;
        for (std::size_t t = 0; t < rank(); ++t) {
            if (t == s || !has(m_out[t], m_in[s].back()))
                continue;
            std::size_t first = m_in[s].size();
            while (first > 0 && has(m_out[t], m_in[s][first - 1]))
                --first;
            const std::span<const AxisRef> suffix(m_in[s].begin() + first, m_in[s].end());
            const bool lands = m_in[t].empty() && suffix.size() <= m_out[t].size()
                && std::equal(suffix.begin(), suffix.end(), m_out[t].begin());
            if (finalPlaceOnly && !lands)
                continue;
            Lists after = m_prefix;
            for (std::size_t d = 0; d < rank(); ++d)
                for (std::size_t i = 0; i < (d == s ? first : m_in[d].size()); ++i)
                    after[d].push_back(m_in[d][i]);
            for (const AxisRef& ref : suffix)
                after[t].push_back(ref);
            emitExchange(s, t, AxisList(suffix.begin(), suffix.end()), std::move(after));
            return true;
        }
    }
    return false;
}

// Phase 4: what nobody wants.
void Resharder::gather()
{
    Lists gathered(rank());
    Lists after = m_prefix;
    bool any = false;
    for (std::size_t d = 0; d < rank(); ++d) {
        std::size_t first = m_in[d].size();
        while (first > 0 && !hasAnywhere(m_out, m_in[d][first - 1]))
            --first;
        for (std::size_t i = 0; i < m_in[d].size(); ++i)
            (i < first ? after : gathered)[d].push_back(m_in[d][i]);
        any = any || !gathered[d].empty();
    }
    if (any)
        emitPerDimension(CollectiveKind::AllGather, gathered, std::move(after));
}

} // namespace shardscope::reshard

// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in reshard.h and resharder.h.
#include <algorithm>

#include "partition/resharder.h"
#include "program/unreduced_axes.h"

namespace shardscope::reshard {

Resharder::Resharder(const Reshard& reshard)
    : Route(reshard)
    , m_target(listsOf(reshard.to))
    , m_keepUnreduced(reshard.to.unreduced)
    , m_blocks(reshard.blocks)
{
}

std::vector<ReshardStep> Resharder::run()
{
    reduce();
    const Lists start = m_current;
    const bool sourceOrder = m_sourceOrder;
    const std::size_t reduced = m_steps.size();
    if (!search() || !exact(start, reduced)) {
        m_steps.resize(reduced);
        m_current = start;
        m_sourceOrder = sourceOrder;
        gatherThenSlice();
    }
    return take();
}

/// Remaining lists: what is there and what is wanted, after the part in which both agree.
bool Resharder::update()
{
    Lists target = m_target;
    Lists current = m_current;
    if (!align(current, target, m_mesh.rank()))
        return false;
    m_prefix.assign(rank(), {});
    m_in.assign(rank(), {});
    m_out.assign(rank(), {});
    for (std::size_t d = 0; d < rank(); ++d) {
        std::size_t common = 0;
        while (common < current[d].size() && common < target[d].size() && current[d][common] == target[d][common])
            m_prefix[d].push_back(current[d][common++]);
        for (std::size_t i = common; i < current[d].size(); ++i)
            m_in[d].push_back(current[d][i]);
        for (std::size_t i = common; i < target[d].size(); ++i)
            m_out[d].push_back(target[d][i]);
    }
    return true;
}

bool Resharder::done() const
{
    return std::all_of(m_in.begin(), m_in.end(), [](const AxisList& list) { return list.empty(); })
        && std::all_of(m_out.begin(), m_out.end(), [](const AxisList& list) { return list.empty(); });
}

/// An array that every device is to have in full has no order.
bool Resharder::needsTargetOrder() const
{
    return sourceOrder()
        && (!m_keepUnreduced.empty()
            || std::any_of(m_target.begin(), m_target.end(), [](const AxisList& list) { return !list.empty(); }));
}

bool Resharder::search()
{
    for (int round = 0; round < 2; ++round) {
        if (!update())
            return false;
        if (done() && !needsTargetOrder())
            return true;
        slice();
        if (!update())
            return false;
        if (wantsPermute())
            permute();
        else if (needsTargetOrder())
            emitPermute(m_current);
        if (!update())
            return false;
        for (const bool finalPlaceOnly : { true, false })
            while (exchange(finalPlaceOnly))
                if (!update())
                    return false;
        gather();
        if (!update())
            return false;
    }
    return done() && !needsTargetOrder();
}

void Resharder::reduce()
{
    const AxisList over = axesMinus(m_unreduced, m_keepUnreduced);
    if (!over.empty())
        emitReduction(over, Lists(rank()), m_current);
}

/// Whether every step moves full blocks; with Blocks::Even, blocks of one size.
bool Resharder::exact(const Lists& start, std::size_t firstStep) const
{
    if (m_blocks == Blocks::AsIfEven)
        return true;
    SmallVector<std::int64_t, 6> shards;
    for (const AxisList& list : start)
        shards.push_back(product(list));
    for (std::size_t i = firstStep; i < m_steps.size(); ++i)
        for (std::size_t d = 0; d < rank(); ++d) {
            const std::int64_t after = shardCount(m_steps[i].after.dims[d]);
            if (m_blocks == Blocks::Even) {
                if (m_type.shape[d] % after != 0 && after != shards[d] && after != product(m_target[d]))
                    return false;
                continue; // `shards` stays what it was at the start
            }
            if (!nest(m_type.shape[d], shards[d], after))
                return false;
            shards[d] = after;
        }
    return true;
}

void Resharder::gatherThenSlice()
{
    if (needsTargetOrder())
        emitPermute(m_current);
    Lists current(rank());
    Lists sliced(rank());
    Lists kept(rank());
    for (std::size_t d = 0; d < rank(); ++d) {
        if (merged(m_current[d]) == merged(m_target[d])) {
            kept[d] = m_current[d];
            continue;
        }
        current[d] = m_current[d];
        sliced[d] = m_target[d];
    }
    if (std::any_of(current.begin(), current.end(), [](const AxisList& list) { return !list.empty(); }))
        emitPerDimension(CollectiveKind::AllGather, current, kept);
    if (std::any_of(sliced.begin(), sliced.end(), [](const AxisList& list) { return !list.empty(); }))
        emitPerDimension(CollectiveKind::AllSlice, sliced, m_target);
}

} // namespace shardscope::reshard

namespace shardscope {

std::vector<ReshardStep> shardySteps(const Reshard& reshard)
{
    return reshard::Resharder(reshard).run();
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/route.h"

#include <algorithm>

#include "base/ceil_divide.h"
#include "program/unreduced_axes.h"

namespace shardscope::reshard {

namespace {

bool isSharded(const Lists& lists)
{
    return std::any_of(lists.begin(), lists.end(), [](const AxisList& list) { return !list.empty(); });
}

/// Widens the part of an axis that takes part in an exchange.
void include(AxisList& touched, AxisRef ref)
{
    for (AxisRef& other : touched)
        if (other.axis == ref.axis) {
            const std::int64_t next = std::max(other.next(), ref.next());
            other.pre = std::min(other.pre, ref.pre);
            other.size = static_cast<std::int32_t>(next / other.pre);
            return;
        }
    touched.push_back(ref);
}

} // namespace

bool nest(std::int64_t size, std::int64_t shards, std::int64_t otherShards)
{
    const std::int64_t few = std::min(shards, otherShards);
    const std::int64_t many = std::max(shards, otherShards);
    return few == many || few == 1 || (many % few == 0 && ceilDivide(size, few) == many / few * ceilDivide(size, many));
}

AxisList permutedAxes(const Lists& from, const Lists& to, std::size_t meshRank)
{
    Lists old = from;
    Lists fresh = to;
    if (!align(old, fresh, meshRank)) {
        old = from;
        fresh = to;
    }
    AxisList touched;
    for (std::size_t d = 0; d < old.size(); ++d) {
        // Where both begin alike nothing moves.
        std::size_t same = 0;
        while (same < old[d].size() && same < fresh[d].size() && old[d][same] == fresh[d][same])
            ++same;
        for (const AxisList* list : { &old[d], &fresh[d] })
            for (std::size_t i = same; i < list->size(); ++i)
                include(touched, (*list)[i]);
    }
    std::sort(touched.begin(), touched.end());
    return touched;
}

Route::Route(const Reshard& reshard)
    : m_mesh(*reshard.mesh)
    , m_type(reshard.type)
    , m_current(listsOf(reshard.from))
    , m_unreduced(reshard.from.unreduced)
    , m_sourceOrder(reshard.sourceMesh && !(*reshard.sourceMesh == *reshard.mesh)
          && (isSharded(m_current) || !m_unreduced.empty()))
{
}

TensorSharding Route::sharding() const
{
    TensorSharding result = TensorSharding::fullyReplicated(rank());
    for (std::size_t d = 0; d < rank(); ++d)
        result.dims[d].axes = merged(m_current[d]);
    result.unreduced = m_unreduced;
    return result;
}

std::int64_t Route::localBytes() const
{
    Shape local = m_type.shape;
    for (std::size_t d = 0; d < rank(); ++d)
        local[d] = ceilDivide(local[d], product(m_current[d]));
    return TensorType{ m_type.dtype, local }.byteCount();
}

void Route::emit(Collective collective, Lists after, std::int64_t groupSize)
{
    collective.sentBytes = ringBytes(collective.kind, groupSize, localBytes());
    m_current = std::move(after);
    for (AxisList& list : m_current)
        list = merged(list);
    m_steps.push_back({ std::move(collective), sharding(), m_sourceOrder });
    // What every device holds in full has no order.
    m_sourceOrder = m_sourceOrder && (isSharded(m_current) || !m_unreduced.empty());
}

void Route::emitPerDimension(CollectiveKind kind, const Lists& perDimension, Lists after)
{
    Collective collective;
    collective.kind = kind;
    std::int64_t size = 1;
    for (const AxisList& list : perDimension) {
        collective.perDimension.push_back(merged(list));
        size *= product(list);
    }
    emit(std::move(collective), std::move(after), size);
}

void Route::emitExchange(std::size_t source, std::size_t target, const AxisList& moved, Lists after)
{
    Collective collective;
    collective.kind = CollectiveKind::AllToAll;
    collective.sourceDimension = static_cast<std::int32_t>(source);
    collective.targetDimension = static_cast<std::int32_t>(target);
    collective.moved = merged(moved);
    emit(std::move(collective), std::move(after), product(moved));
}

void Route::emitPermute(Lists after)
{
    AxisList touched;
    for (std::size_t a = 0; m_sourceOrder && a < m_mesh.rank(); ++a)
        if (m_mesh.size(a) > 1)
            touched.push_back(fullAxis(m_mesh, a));
    if (!m_sourceOrder)
        touched = permutedAxes(m_current, after, m_mesh.rank());
    Collective collective;
    collective.kind = CollectiveKind::CollectivePermute;
    collective.axes = touched;
    m_sourceOrder = false;
    emit(std::move(collective), std::move(after), product(touched));
}

void Route::emitReduction(const AxisList& over, const Lists& scattered, Lists after)
{
    Collective collective;
    if (isSharded(scattered)) {
        collective.kind = CollectiveKind::ReduceScatter;
        for (const AxisList& list : scattered)
            collective.perDimension.push_back(merged(list));
    } else {
        collective.kind = CollectiveKind::AllReduce;
        collective.axes = over;
    }
    m_unreduced = axesMinus(m_unreduced, over);
    emit(std::move(collective), std::move(after), product(over));
}

} // namespace shardscope::reshard

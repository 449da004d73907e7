// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "partition/resharder.h"

namespace shardscope::reshard {

namespace {

std::int64_t ceilDivide(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

} // namespace

Resharder::Resharder(const TensorSharding& from, const TensorSharding& to, const TensorType& type, const Mesh& mesh)
    : m_mesh(mesh)
    , m_type(type)
    , m_target(listsOf(to))
    , m_current(listsOf(from))
    , m_unreduced(from.unreduced)
{
}

std::vector<ReshardStep> Resharder::run(const AxisList& keepUnreduced)
{
    reduce(keepUnreduced);
    const std::size_t reduced = m_steps.size();
    const Lists start = m_current;
    if (!search() || !exact(start, reduced)) {
        m_steps.resize(reduced);
        m_current = start;
        gatherThenSlice();
    }
    return std::move(m_steps);
}

/// Remaining lists: what is there and what is wanted, behind the part in which both agree.
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

bool Resharder::search()
{
    for (int round = 0; round < 2; ++round) {
        if (!update())
            return false;
        if (done())
            return true;
        slice();
        if (!update())
            return false;
        if (wantsPermute())
            permute();
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
    return done();
}

TensorSharding Resharder::sharding() const
{
    TensorSharding result = TensorSharding::fullyReplicated(rank());
    for (std::size_t d = 0; d < rank(); ++d)
        result.dims[d].axes = merged(m_current[d]);
    result.unreduced = m_unreduced;
    return result;
}

std::int64_t Resharder::localBytes() const
{
    return TensorType{ m_type.dtype, localShape(m_current) }.byteCount();
}
Shape Resharder::localShape(const Lists& lists) const
{
    Shape local = m_type.shape;
    for (std::size_t d = 0; d < rank(); ++d)
        local[d] = ceilDivide(local[d], product(lists[d]));
    return local;
}

void Resharder::emit(Collective collective, Lists after, std::int64_t groupSize)
{
    collective.sentBytes = ringBytes(collective.kind, groupSize, localBytes());
    m_current = std::move(after);
    for (AxisList& list : m_current)
        list = merged(list);
    m_steps.push_back({ std::move(collective), sharding() });
}

void Resharder::emitPerDimension(CollectiveKind kind, const Lists& perDimension, Lists after)
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

void Resharder::reduce(const AxisList& keep)
{
    AxisList over;
    for (const AxisRef& ref : m_unreduced)
        if (!has(keep, ref))
            over.push_back(ref);
    if (over.empty())
        return;
    m_unreduced = keep;
    Collective collective;
    collective.kind = CollectiveKind::AllReduce;
    collective.axes = over;
    emit(std::move(collective), m_current, product(over));
}

/// Whether every step moves whole blocks: with uneven dimensions a block of few pieces need not be the union of
/// blocks of many (10 elements in 2 pieces are 5 and 5, in 8 pieces 2 2 2 2 2 0 0 0).
bool Resharder::exact(const Lists& start, std::size_t firstStep) const
{
    SmallVector<std::int64_t, 6> pieces;
    for (const AxisList& list : start)
        pieces.push_back(product(list));
    for (std::size_t i = firstStep; i < m_steps.size(); ++i)
        for (std::size_t d = 0; d < rank(); ++d) {
            const std::int64_t after = shardCount(m_steps[i].after.dims[d]);
            const std::int64_t few = std::min(after, pieces[d]);
            const std::int64_t many = std::max(after, pieces[d]);
            pieces[d] = after;
            if (few == many || few == 1)
                continue;
            const std::int64_t size = m_type.shape[d];
            if (many % few != 0 || ceilDivide(size, few) != many / few * ceilDivide(size, many))
                return false;
        }
    return true;
}

void Resharder::gatherThenSlice()
{
    Lists held(rank());
    Lists cut(rank());
    Lists kept(rank());
    for (std::size_t d = 0; d < rank(); ++d) {
        if (merged(m_current[d]) == merged(m_target[d])) {
            kept[d] = m_current[d];
            continue;
        }
        held[d] = m_current[d];
        cut[d] = m_target[d];
    }
    if (std::any_of(held.begin(), held.end(), [](const AxisList& list) { return !list.empty(); }))
        emitPerDimension(CollectiveKind::AllGather, held, kept);
    if (std::any_of(cut.begin(), cut.end(), [](const AxisList& list) { return !list.empty(); }))
        emitPerDimension(CollectiveKind::AllSlice, cut, m_target);
}

} // namespace shardscope::reshard

namespace shardscope {

std::vector<ReshardStep> reshardSteps(
    const TensorSharding& from, const TensorSharding& to, const TensorType& type, const Mesh& mesh)
{
    return reshard::Resharder(from, to, type, mesh).run(to.unreduced);
}

} // namespace shardscope

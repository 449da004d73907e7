// SPDX-License-Identifier: GPL-3.0-or-later
// From one sharding to another by collectives, in the order of OpenXLA Shardy: slice early, permute, exchange between
// dimensions, gather last. Everything works on lists of axis parts that are split until two parts are equal or
// disjoint.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "partition/partition.h"

namespace shardscope {

namespace {

using Lists = std::vector<AxisList>;

std::int64_t ceilDivide(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

bool has(std::span<const AxisRef> list, AxisRef ref)
{
    return std::find(list.begin(), list.end(), ref) != list.end();
}

bool hasAnywhere(const Lists& lists, AxisRef ref)
{
    return std::any_of(lists.begin(), lists.end(), [&](const AxisList& list) { return has(list, ref); });
}

AxisList merged(std::span<const AxisRef> list)
{
    AxisList result;
    for (const AxisRef& ref : list)
        appendMerged(result, ref);
    return result;
}

Lists listsOf(const TensorSharding& sharding)
{
    Lists lists;
    for (const DimensionSharding& dim : sharding.dims) {
        AxisList& list = lists.emplace_back();
        for (const AxisRef& ref : dim.axes)
            if (ref.size > 1)
                list.push_back(ref);
    }
    return lists;
}

/// Splits every part at all borders that parts of the same axis have anywhere, so that overlapping parts become equal.
/// False where the borders do not divide each other (x:(1)2 against x:(1)3 of an axis of size 6).
bool align(Lists& a, Lists& b, std::size_t meshRank)
{
    std::vector<SmallVector<std::int64_t, 8>> borders(meshRank);
    for (const Lists* lists : { &a, &b })
        for (const AxisList& list : *lists)
            for (const AxisRef& ref : list) {
                auto& of = borders[static_cast<std::size_t>(ref.axis)];
                of.push_back(ref.pre);
                of.push_back(ref.next());
            }
    for (auto& of : borders) {
        std::sort(of.begin(), of.end());
        of.erase(std::unique(of.begin(), of.end()), of.end());
        for (std::size_t i = 1; i < of.size(); ++i)
            if (of[i] % of[i - 1] != 0)
                return false;
    }
    for (Lists* lists : { &a, &b })
        for (AxisList& list : *lists) {
            AxisList split;
            for (const AxisRef& ref : list) {
                std::int64_t begin = ref.pre;
                for (const std::int64_t border : borders[static_cast<std::size_t>(ref.axis)]) {
                    if (border <= begin || border > ref.next())
                        continue;
                    split.push_back(
                        { ref.axis, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(border / begin) });
                    begin = border;
                }
            }
            list = split;
        }
    return true;
}

/// Takes a major part of `size` off the front of a reference; the rest stays in it.
AxisRef takePrefix(AxisRef& ref, std::int64_t size)
{
    const AxisRef taken{ ref.axis, ref.pre, static_cast<std::int32_t>(size) };
    ref = { ref.axis, static_cast<std::int32_t>(ref.pre * size), static_cast<std::int32_t>(ref.size / size) };
    return taken;
}

class Resharder {
public:
    Resharder(const TensorSharding& from, const TensorSharding& to, const TensorType& type, const Mesh& mesh)
        : m_mesh(mesh)
        , m_type(type)
        , m_target(listsOf(to))
        , m_current(listsOf(from))
        , m_unreduced(from.unreduced)
    {
    }

    std::vector<ReshardStep> run(const AxisList& keepUnreduced)
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

private:
    std::size_t rank() const { return m_current.size(); }

    /// Remaining lists: what is there and what is wanted, behind the part in which both agree.
    bool update()
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

    bool done() const
    {
        return std::all_of(m_in.begin(), m_in.end(), [](const AxisList& list) { return list.empty(); })
            && std::all_of(m_out.begin(), m_out.end(), [](const AxisList& list) { return list.empty(); });
    }

    bool search()
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

    // --- emission -------------------------------------------------------------------------------------------------

    TensorSharding sharding() const
    {
        TensorSharding result = TensorSharding::fullyReplicated(rank());
        for (std::size_t d = 0; d < rank(); ++d)
            result.dims[d].axes = merged(m_current[d]);
        result.unreduced = m_unreduced;
        return result;
    }

    std::int64_t localBytes() const { return TensorType{ m_type.dtype, localShape(m_current) }.byteCount(); }
    Shape localShape(const Lists& lists) const
    {
        Shape local = m_type.shape;
        for (std::size_t d = 0; d < rank(); ++d)
            local[d] = ceilDivide(local[d], product(lists[d]));
        return local;
    }

    void emit(Collective collective, Lists after, std::int64_t groupSize)
    {
        collective.sentBytes = ringBytes(collective.kind, groupSize, localBytes());
        m_current = std::move(after);
        for (AxisList& list : m_current)
            list = merged(list);
        m_steps.push_back({ std::move(collective), sharding() });
    }

    void emitPerDimension(CollectiveKind kind, const Lists& perDimension, Lists after)
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

    void reduce(const AxisList& keep)
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

    // --- phase 1: cut what is not cut yet -------------------------------------------------------------------------

    void slice()
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
                std::int64_t pieces = product(m_current[s]);
                if (last + 1 != m_out[t].end() && isFree(last[1]) && m_type.shape[s] % (pieces * last[1].size) == 0)
                    capacity[t] /= last->size;
                for (const auto* next = last + 1; next != m_out[t].end() && isFree(*next); ++next) {
                    pieces *= next->size;
                    if (m_type.shape[s] % pieces != 0)
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

    // --- phase 2: other axes in the same pieces -------------------------------------------------------------------

    static bool divides(std::int64_t a, std::int64_t b) { return a % b == 0 || b % a == 0; }

    bool wantsPermute() const
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
                    for (const AxisRef& held : list)
                        if (!hasAnywhere(m_out, held) && divides(held.size, wanted.size))
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

    /// Several parts of `list` are bound for one place, but not side by side in the order in which they are wanted.
    static bool isScattered(const AxisList& list, const AxisList& out)
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
    static void fill(AxisList& into, std::int64_t& capacity, AxisList& pool)
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

    void permute()
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
        AxisList touched;
        bool same = true;
        for (std::size_t d = 0; d < n; ++d) {
            AxisList fresh;
            for (const AxisList* list : { &ownOut[d], &ownGather[d], &others[d], &otherOut[d] })
                for (const AxisRef& ref : *list)
                    appendMerged(fresh, ref);
            const AxisList old = merged(m_in[d]);
            for (const AxisRef& ref : fresh)
                after[d].push_back(ref);
            if (fresh == old)
                continue;
            same = false;
            for (const AxisList* list : { &old, &std::as_const(fresh) })
                for (const AxisRef& ref : *list)
                    include(touched, ref);
        }
        if (same || std::any_of(capacity.begin(), capacity.end(), [](std::int64_t rest) { return rest != 1; }))
            return;
        std::sort(touched.begin(), touched.end());
        Collective collective;
        collective.kind = CollectiveKind::CollectivePermute;
        collective.axes = touched;
        emit(std::move(collective), std::move(after), product(touched));
    }

    /// Widens the part of an axis that takes part in an exchange.
    static void include(AxisList& touched, AxisRef ref)
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

    /// Axes to be gathered make room at the front for as much as is wanted there; the others keep their order.
    void dropFront(std::size_t d, AxisList& kept, AxisList& dropped) const
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
    void addGathered(std::size_t d, AxisRef range, AxisList& list) const
    {
        for (const AxisRef& part : m_in[d]) {
            const std::optional<AxisRef> common = overlap(part, range);
            if (common && common->size > 1 && !hasAnywhere(m_out, part))
                list.push_back(*common);
        }
    }

    // --- phase 3: axes from one dimension to another --------------------------------------------------------------

    bool exchange(bool finalPlaceOnly)
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
                Collective collective;
                collective.kind = CollectiveKind::AllToAll;
                collective.sourceDimension = static_cast<std::int32_t>(s);
                collective.targetDimension = static_cast<std::int32_t>(t);
                collective.moved = merged(suffix);
                const std::int64_t size = product(suffix);
                emit(std::move(collective), std::move(after), size);
                return true;
            }
        }
        return false;
    }

    // --- phase 4: what nobody wants -------------------------------------------------------------------------------

    void gather()
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

    // --- the way that always works --------------------------------------------------------------------------------

    /// Whether every step moves whole blocks: with uneven dimensions a block of few pieces need not be the union of
    /// blocks of many (10 elements in 2 pieces are 5 and 5, in 8 pieces 2 2 2 2 2 0 0 0).
    bool exact(const Lists& start, std::size_t firstStep) const
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

    void gatherThenSlice()
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

    const Mesh& m_mesh;
    const TensorType& m_type;
    Lists m_target;
    Lists m_current;
    AxisList m_unreduced;
    Lists m_prefix, m_in, m_out;
    std::vector<ReshardStep> m_steps;
};

} // namespace

std::vector<ReshardStep> reshardSteps(
    const TensorSharding& from, const TensorSharding& to, const TensorType& type, const Mesh& mesh)
{
    return Resharder(from, to, type, mesh).run(to.unreduced);
}

} // namespace shardscope

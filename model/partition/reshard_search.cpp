// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/reshard_search.h"

#include <algorithm>
#include <functional>

#include "base/ceil_divide.h"
#include "partition/route.h"

namespace shardscope::reshard {

namespace {

constexpr double maxStates = 30'000;

/// Ways to put some of `atoms` atoms in order into `rank` dimensions.
double stateCount(std::size_t atoms, std::size_t rank)
{
    double count = 1;
    double chosen = 1; // ordered choices of k atoms
    double boundaries = 1; // ways to shard a row of k atoms into `rank` lists
    for (std::size_t k = 1; k <= atoms; ++k) {
        chosen *= static_cast<double>(atoms - k + 1);
        boundaries = boundaries * static_cast<double>(k + std::max<std::size_t>(rank, 1) - 1) / static_cast<double>(k);
        count += chosen * (rank == 0 ? 0 : boundaries);
    }
    return count;
}

std::uint32_t bit(std::size_t atom)
{
    return std::uint32_t{ 1 } << atom;
}

template <class List>
void collect(const List& axes, std::vector<AxisRef>& parts)
{
    for (const AxisRef& ref : axes)
        if (ref.size > 1)
            parts.push_back(ref);
}

} // namespace

std::optional<Atoms> Atoms::of(const Mesh& mesh, std::span<const TensorSharding* const> shardings)
{
    std::vector<AxisRef> named;
    std::size_t rank = 0;
    for (const TensorSharding* sharding : shardings) {
        rank = std::max(rank, sharding->rank());
        for (const DimensionSharding& dim : sharding->dims)
            collect(dim.axes, named);
        collect(sharding->unreduced, named);
    }
    for (const bool all : { true, false }) {
        Atoms atoms;
        atoms.m_devices = mesh.deviceCount();
        for (std::size_t a = 0; a < mesh.rank(); ++a) {
            std::vector<std::int64_t> boundaries{ 1, mesh.size(a) };
            bool occurs = false;
            for (const AxisRef& ref : named)
                if (ref.axis == static_cast<std::int32_t>(a)) {
                    boundaries.push_back(ref.pre);
                    boundaries.push_back(ref.next());
                    occurs = true;
                }
            if (mesh.size(a) == 1 || (!all && !occurs))
                continue;
            std::sort(boundaries.begin(), boundaries.end());
            boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
            for (std::size_t i = 1; i < boundaries.size(); ++i) {
                if (boundaries[i] % boundaries[i - 1] != 0)
                    return {};
                atoms.m_refs.push_back({ static_cast<std::int32_t>(a), static_cast<std::int32_t>(boundaries[i - 1]),
                    static_cast<std::int32_t>(boundaries[i] / boundaries[i - 1]) });
            }
        }
        if (stateCount(atoms.count(), rank) <= maxStates)
            return atoms;
    }
    return {};
}

State Atoms::state(const TensorSharding& sharding) const
{
    State state;
    for (const DimensionSharding& dim : sharding.dims) {
        auto& list = state.dims.emplace_back();
        for (const AxisRef& axis : dim.axes)
            for (std::size_t a = 0; a < m_refs.size(); ++a)
                if (contains(axis, m_refs[a]))
                    list.push_back(static_cast<std::uint8_t>(a));
    }
    for (const AxisRef& axis : sharding.unreduced)
        for (std::size_t a = 0; a < m_refs.size(); ++a)
            if (contains(axis, m_refs[a]))
                state.partial |= bit(a);
    return state;
}

Lists Atoms::lists(const State& state) const
{
    Lists lists;
    for (const auto& dim : state.dims) {
        AxisList& list = lists.emplace_back();
        for (const std::uint8_t atom : dim)
            list.push_back(m_refs[atom]);
    }
    return lists;
}

AxisList Atoms::axes(std::uint32_t set) const
{
    AxisList list;
    for (std::size_t a = 0; a < m_refs.size(); ++a)
        if (set & bit(a))
            appendMerged(list, m_refs[a]);
    return list;
}

Search::Search(const Atoms& atoms, const TensorType& type, State start, Blocks blocks, const State* goal,
    std::span<const State* const> goals)
    : m_atoms(atoms)
    , m_type(type)
    , m_blocks(blocks)
{
    const auto allow = [&](const State& state) {
        m_allowed.resize(state.dims.size(), 1);
        for (std::size_t d = 0; d < state.dims.size(); ++d)
            m_allowed[d] = std::max(m_allowed[d], parts(state, d));
    };
    allow(start);
    if (goal)
        allow(*goal);
    for (const State* other : goals)
        allow(*other);
    reach(std::move(start), { 0, 0, 0 }, -1, Kind::Start, 0, 0);
    while (!m_queue.empty()) {
        std::pop_heap(m_queue.begin(), m_queue.end(), std::greater<>());
        const auto [price, node] = m_queue.back();
        m_queue.pop_back();
        if (m_nodes[static_cast<std::size_t>(node)].settled)
            continue;
        m_nodes[static_cast<std::size_t>(node)].settled = true;
        if (goal && m_nodes[static_cast<std::size_t>(node)].state == *goal)
            return;
        expand(node);
    }
}

std::string Search::key(const State& state)
{
    std::string text;
    for (const auto& dim : state.dims) {
        for (const std::uint8_t atom : dim)
            text += static_cast<char>('a' + atom);
        text += ',';
    }
    for (std::uint32_t rest = state.partial; rest != 0; rest >>= 4)
        text += static_cast<char>('0' + (rest & 15));
    if (state.sourceOrder)
        text += '!';
    return text;
}

Price Search::price(const State& state) const
{
    const auto found = m_index.find(key(state));
    return found == m_index.end() ? Price() : m_nodes[static_cast<std::size_t>(found->second)].price;
}

std::int64_t Search::parts(const State& state, std::size_t dim) const
{
    std::int64_t count = 1;
    for (const std::uint8_t atom : state.dims[dim])
        count *= m_atoms.size(atom);
    return count;
}

std::int64_t Search::localBytes(const State& state) const
{
    Shape local = m_type.shape;
    for (std::size_t d = 0; d < local.size(); ++d)
        local[d] = ceilDivide(local[d], parts(state, d));
    return TensorType{ m_type.dtype, local }.byteCount();
}

Price Search::sent(CollectiveKind kind, std::int64_t group, std::int64_t bytes) const
{
    const Rational each = ringBytes(kind, group, bytes);
    return { static_cast<double>(each.numerator()) * static_cast<double>(m_atoms.devices() / each.denominator()),
        kind == CollectiveKind::AllSlice ? 0 : 1, 1 };
}

bool Search::mayBecome(std::size_t dim, std::int64_t before, std::int64_t after) const
{
    const std::int64_t size = m_type.shape[dim];
    if (m_blocks == Blocks::Even)
        return size % after == 0 || after == m_allowed[dim];
    if (m_blocks == Blocks::Exact)
        return nest(size, before, after) && (size % after == 0 || after <= m_allowed[dim]);
    return size % after == 0 || after <= m_allowed[dim];
}

bool Search::isFull(const State& state) const
{
    return state.partial == 0
        && std::all_of(state.dims.begin(), state.dims.end(), [](const auto& dim) { return dim.empty(); });
}

void Search::reach(State state, Price price, std::int32_t before, Kind kind, std::size_t source, std::size_t target)
{
    // What every device holds in full has no order.
    if (state.sourceOrder && isFull(state))
        state.sourceOrder = false;
    const auto [at, fresh] = m_index.try_emplace(key(state), static_cast<std::int32_t>(m_nodes.size()));
    if (fresh)
        m_nodes.emplace_back();
    Node& node = m_nodes[static_cast<std::size_t>(at->second)];
    if (!fresh && !(price < node.price))
        return;
    node.state = std::move(state);
    node.price = price;
    node.before = before;
    node.kind = kind;
    node.source = static_cast<std::uint8_t>(source);
    node.target = static_cast<std::uint8_t>(target);
    m_queue.emplace_back(price, at->second);
    std::push_heap(m_queue.begin(), m_queue.end(), std::greater<>());
}

void Search::expand(std::int32_t node)
{
    const State state = m_nodes[static_cast<std::size_t>(node)].state;
    const Price price = m_nodes[static_cast<std::size_t>(node)].price;
    const std::int64_t bytes = localBytes(state);
    const std::size_t rank = state.dims.size();
    std::uint32_t used = state.partial;
    for (const auto& dim : state.dims)
        for (const std::uint8_t atom : dim)
            used |= bit(atom);

    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t count = parts(state, d);
        for (std::size_t a = 0; a < m_atoms.count(); ++a) {
            if ((used & bit(a)) || !mayBecome(d, count, count * m_atoms.size(a)))
                continue;
            State next = state;
            next.dims[d].push_back(static_cast<std::uint8_t>(a));
            reach(std::move(next), price + sent(CollectiveKind::AllSlice, m_atoms.size(a), bytes), node, Kind::Slice, d,
                d);
        }
        // The last atoms go, or move.
        std::int64_t group = 1;
        for (std::size_t first = state.dims[d].size(); first-- > 0;) {
            group *= m_atoms.size(state.dims[d][first]);
            if (!mayBecome(d, count, count / group))
                continue;
            State next = state;
            next.dims[d].resize(first);
            const State shorter = next;
            reach(std::move(next), price + sent(CollectiveKind::AllGather, group, bytes), node, Kind::Gather, d, d);
            for (std::size_t t = 0; t < rank; ++t) {
                const std::int64_t there = t == d ? 0 : parts(state, t);
                if (t == d || !mayBecome(t, there, there * group))
                    continue;
                next = shorter;
                for (std::size_t i = first; i < state.dims[d].size(); ++i)
                    next.dims[t].push_back(state.dims[d][i]);
                reach(
                    std::move(next), price + sent(CollectiveKind::AllToAll, group, bytes), node, Kind::Exchange, d, t);
            }
        }
    }
    // Any set of the partial atoms is added up; in any order it is scattered over one dimension.
    for (std::uint32_t set = state.partial; set != 0; set = (set - 1) & state.partial) {
        std::vector<std::uint8_t> atoms;
        std::int64_t group = 1;
        for (std::size_t a = 0; a < m_atoms.count(); ++a)
            if (set & bit(a)) {
                atoms.push_back(static_cast<std::uint8_t>(a));
                group *= m_atoms.size(a);
            }
        State next = state;
        next.partial &= ~set;
        reach(next, price + sent(CollectiveKind::AllReduce, group, bytes), node, Kind::Reduce, 0, 0);
        do {
            for (std::size_t d = 0; d < rank; ++d) {
                const std::int64_t count = parts(state, d);
                if (!mayBecome(d, count, count * group))
                    continue;
                State scattered = next;
                for (const std::uint8_t atom : atoms)
                    scattered.dims[d].push_back(atom);
                reach(std::move(scattered), price + sent(CollectiveKind::ReduceScatter, group, bytes), node,
                    Kind::ReduceScatter, d, d);
            }
        } while (std::next_permutation(atoms.begin(), atoms.end()));
    }
    permute(node, price + sent(CollectiveKind::CollectivePermute, 2, bytes));
}

/// To every other choice of atoms that gives as many shards per dimension. All states of one such class have the same
/// price for that, so that the first one of them to be settled is the best to start from.
void Search::permute(std::int32_t node, Price price)
{
    const State start = m_nodes[static_cast<std::size_t>(node)].state;
    State none;
    none.partial = start.partial;
    none.dims.resize(start.dims.size());
    std::string counts;
    for (std::size_t d = 0; d < start.dims.size(); ++d)
        counts += std::to_string(parts(start, d)) + ',';
    counts += std::to_string(start.partial);
    if (!m_permuted.try_emplace(counts, true).second)
        return;
    place(none, 0, start.dims.empty() ? 1 : parts(start, 0), start.partial, node, price);
}

void Search::place(
    State& state, std::size_t dim, std::int64_t left, std::uint32_t used, std::int32_t before, Price price)
{
    if (dim == state.dims.size()) {
        reach(state, price, before, Kind::Permute, 0, 0);
        return;
    }
    if (left == 1) {
        const State& start = m_nodes[static_cast<std::size_t>(before)].state;
        const std::int64_t next = dim + 1 < state.dims.size() ? parts(start, dim + 1) : 1;
        place(state, dim + 1, next, used, before, price);
        return;
    }
    for (std::size_t a = 0; a < m_atoms.count(); ++a) {
        if ((used & bit(a)) || left % m_atoms.size(a) != 0)
            continue;
        state.dims[dim].push_back(static_cast<std::uint8_t>(a));
        place(state, dim, left / m_atoms.size(a), used | bit(a), before, price);
        state.dims[dim].pop_back();
    }
}

std::vector<ReshardStep> Search::steps(const Reshard& reshard, const State& state) const
{
    std::vector<const Node*> way;
    for (std::int32_t at = m_index.at(key(state)); at >= 0; at = m_nodes[static_cast<std::size_t>(at)].before)
        way.push_back(&m_nodes[static_cast<std::size_t>(at)]);
    std::reverse(way.begin(), way.end());

    Route route(reshard);
    for (std::size_t i = 1; i < way.size();) {
        const State& from = way[i - 1]->state;
        const Kind kind = way[i]->kind;
        // Slices in a row are one, and so are gathers.
        std::size_t last = i;
        while ((kind == Kind::Slice || kind == Kind::Gather) && last + 1 < way.size() && way[last + 1]->kind == kind)
            ++last;
        const State& to = way[last]->state;
        Lists after = m_atoms.lists(to);
        const Lists before = m_atoms.lists(from);
        Lists changed(before.size());
        for (std::size_t d = 0; d < before.size(); ++d) {
            const AxisList& longer = kind == Kind::Gather ? before[d] : after[d];
            for (std::size_t k = std::min(before[d].size(), after[d].size()); k < longer.size(); ++k)
                changed[d].push_back(longer[k]);
        }
        switch (kind) {
        case Kind::Start:
            break;
        case Kind::Slice:
            route.emitPerDimension(CollectiveKind::AllSlice, changed, std::move(after));
            break;
        case Kind::Gather:
            route.emitPerDimension(CollectiveKind::AllGather, changed, std::move(after));
            break;
        case Kind::Exchange:
            route.emitExchange(way[i]->source, way[i]->target, changed[way[i]->target], std::move(after));
            break;
        case Kind::Permute:
            route.emitPermute(std::move(after));
            break;
        case Kind::Reduce:
        case Kind::ReduceScatter:
            route.emitReduction(m_atoms.axes(from.partial & ~to.partial), changed, std::move(after));
            break;
        }
        i = last + 1;
    }
    return route.take();
}

} // namespace shardscope::reshard

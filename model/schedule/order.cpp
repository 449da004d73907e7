// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/order.h"

#include <algorithm>
#include <queue>

namespace shardscope {

bool needsSlot(const Work& work, std::uint32_t value)
{
    if (work.plain || work.outlives[value])
        return true;
    const std::uint32_t definition = work.definition[value];
    if (definition != none
        && (work.block->ops[definition].results.size() > 1 || !work.block->ops[definition].blocks.empty()))
        return true; // all of them are made at once
    const std::uint32_t own = definition == none ? none : work.nodeOf[definition];
    const auto users = work.users[value];
    return std::any_of(users.begin(), users.end(), [&](std::uint32_t op) { return work.nodeOf[op] != own; });
}

namespace {

class Orderer {
public:
    explicit Orderer(Work& work)
        : m_work(work)
        , m_program(*work.program)
        , m_block(*work.block)
    {
    }

    Order run()
    {
        m_order.inPlaceOf.assign(m_program.values.size(), none);
        findReplaced();
        saveOldArguments();
        buildEdges();
        for (const auto& [replaced, result] : m_block.state)
            place(replaced.index, result);
        if (!m_work.plain)
            delaySlices();
        sort();
        return std::move(m_order);
    }

private:
    /// None for a token.
    std::uint32_t resultValue(std::size_t result) const
    {
        const FlatValueId value = m_block.results[result];
        return value.valid() ? m_work.same[value.index] : none;
    }

    void findReplaced()
    {
        m_order.replaced.resize(m_program.values.size());
        for (const auto& [replaced, result] : m_block.state)
            if (resultValue(result) != replaced.index)
                m_order.replaced[replaced.index] = true;
        if (&m_block == &m_program.main())
            for (const auto& [argument, result] : m_program.reshardedState)
                m_order.replaced[m_block.arguments[argument].index] = true;
    }

    /// Results and kept values that are old values of arguments which will be overwritten.
    void saveOldArguments()
    {
        m_firstCopy = m_work.nodes.size();
        for (std::size_t r = 0; r < m_block.results.size(); ++r)
            m_order.resultExtra.push_back(saved(resultValue(r)));
        for (const std::uint32_t alias : m_work.keptAliases)
            m_order.aliasExtra.push_back(saved(m_work.same[alias]));
    }

    /// The extra slot for an argument that will be overwritten, none for other values.
    std::uint32_t saved(std::uint32_t value)
    {
        if (value == none || !m_order.replaced[value])
            return none;
        Node copy;
        copy.kind = Node::Kind::Copy;
        copy.source = value;
        copy.copied = static_cast<std::uint32_t>(m_order.extras.size());
        m_order.extras.push_back(value);
        m_work.nodes.push_back(std::move(copy));
        return m_work.nodes.back().copied;
    }

    void buildEdges()
    {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        for (std::size_t v = 0; v < m_program.values.size(); ++v) {
            const std::uint32_t definition = m_work.definition[v];
            if (definition == none)
                continue;
            const std::uint32_t producer = m_work.nodeOf[definition];
            for (const std::uint32_t user : m_work.users[v])
                if (m_work.nodeOf[user] != producer)
                    edges.emplace_back(producer, m_work.nodeOf[user]);
        }
        m_edges = Lists::of(m_work.nodes.size(), edges);
        m_before.resize(m_work.nodes.size());
        m_mark.assign(m_work.nodes.size(), 0);
    }

    /// New state over the old if its writer can wait for all other readers of the old; else by a copy at the end.
    void place(std::uint32_t argument, std::size_t result)
    {
        const std::uint32_t value = resultValue(result);
        if (value == argument || value == none)
            return;
        const std::uint32_t chain = m_work.storage[value];
        if (m_order.resultExtra[result] != none) {
            m_order.endCopies.push_back({ none, m_order.resultExtra[result], argument });
            m_order.resultExtra[result] = none; // it is returned in the argument's slot
            return;
        }
        if (!m_block.isDonated || !writeInPlace(argument, value, chain))
            m_order.endCopies.push_back({ value, none, argument });
    }

    bool writeInPlace(std::uint32_t argument, std::uint32_t value, std::uint32_t chain)
    {
        if (m_work.definition[chain] == none || m_order.inPlaceOf[chain] != none
            || m_program.values[argument].localType.byteCount() != m_program.values[value].localType.byteCount()
            || m_program.values[argument].localType.dtype != m_program.values[value].localType.dtype)
            return false;
        const std::uint32_t writer = m_work.nodeOf[m_work.definition[chain]];
        std::vector<std::uint32_t> readers;
        for (const std::uint32_t op : m_work.users[argument])
            readers.push_back(m_work.nodeOf[op]);
        for (std::size_t n = m_firstCopy; n < m_work.nodes.size(); ++n)
            if (m_work.nodes[n].source == argument)
                readers.push_back(static_cast<std::uint32_t>(n));
        std::sort(readers.begin(), readers.end());
        readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
        const auto self = std::find(readers.begin(), readers.end(), writer);
        if (self != readers.end()) {
            if (m_work.nodes[writer].kind != Node::Kind::Fused && !goesOnInPlace(writer, argument, chain)
                && !writesSliceOf(writer, argument))
                return false; // a kernel must not overwrite what it reads
            readers.erase(self);
        }
        if (!readers.empty() && reachesAny(writer, readers))
            return false;
        for (const std::uint32_t reader : readers)
            m_before[reader].push_back(writer);
        m_order.inPlaceOf[chain] = argument;
        return true;
    }

    /// A slice is written into the argument, of which nothing else is read.
    [[nodiscard]] bool writesSliceOf(std::uint32_t node, std::uint32_t argument) const
    {
        const FlatOp& op = m_block.ops[m_work.nodes[node].ops[0]];
        return m_work.nodes[node].ops.size() == 1 && m_program.operation(op).kind == OpKind::DynamicUpdateSlice
            && m_work.operand(op, 0) == argument && m_work.operand(op, 1) != argument;
    }

    /// A loop whose state begins with the argument and ends as its new value.
    [[nodiscard]] bool goesOnInPlace(std::uint32_t node, std::uint32_t argument, std::uint32_t chain) const
    {
        if (m_work.nodes[node].kind != Node::Kind::Control)
            return false;
        const FlatOp& op = m_block.ops[m_work.nodes[node].ops[0]];
        if (m_program.operation(op).kind != OpKind::While)
            return false;
        int reads = 0;
        m_work.forReads(m_work.nodes[node].ops[0], [&](std::uint32_t read) { reads += read == argument ? 1 : 0; });
        for (std::size_t i = 0; i < op.operands.size(); ++i)
            if (op.operands[i].valid() && m_work.operand(op, i) == argument && op.results[i].index == chain)
                return reads == 1;
        return false;
    }

    template <class Visit>
    void forSuccessors(std::uint32_t node, Visit visit) const
    {
        for (const std::uint32_t next : m_edges[node])
            visit(next);
        for (const std::uint32_t next : m_before[node])
            visit(next);
    }

    bool reachesAny(std::uint32_t from, const std::vector<std::uint32_t>& targets)
    {
        ++m_round;
        bool found = false;
        std::vector<std::uint32_t> stack{ from };
        while (!stack.empty() && !found) {
            const std::uint32_t node = stack.back();
            stack.pop_back();
            forSuccessors(node, [&](std::uint32_t next) {
                if (m_mark[next] == m_round)
                    return;
                m_mark[next] = m_round;
                found = found || std::binary_search(targets.begin(), targets.end(), next);
                stack.push_back(next);
            });
        }
        return found;
    }

    /// Needs no memory of its own (or next to none).
    bool isFree(const Node& node) const
    {
        constexpr std::int64_t nextToNone = 64;
        if (node.kind != Node::Kind::Fused)
            return false;
        std::int64_t bytes = 0;
        for (const std::uint32_t op : node.ops) {
            const std::uint32_t value = m_block.ops[op].results[0].index;
            if (m_order.inPlaceOf[m_work.storage[value]] == none && needsSlot(m_work, value))
                bytes += m_program.values[value].localType.byteCount();
            if (bytes > nextToNone)
                return false;
        }
        return true;
    }

    /// A slice of an array that is there all the time is taken when something needs it: the weights of one layer of a
    /// loop over stacked ones do not wait in memory for those of another.
    void delaySlices()
    {
        for (auto op = static_cast<std::uint32_t>(m_block.ops.size()); op-- > 0;) {
            const std::uint32_t own = m_work.nodeOf[op];
            const OpKind kind = m_program.operation(m_block.ops[op]).kind;
            if ((kind != OpKind::Slice && kind != OpKind::DynamicSlice) || own == none
                || m_work.definition[m_work.operand(m_block.ops[op], 0)] != none)
                continue;
            const std::uint32_t result = m_block.ops[op].results[0].index;
            std::uint32_t first = none;
            for (const std::uint32_t user : m_work.users[result])
                first = std::min(first, m_work.nodes[m_work.nodeOf[user]].key);
            if (first != none && !m_work.outlives[result])
                m_work.nodes[own].key = std::max(m_work.nodes[own].key, first);
        }
    }

    void sort()
    {
        const std::size_t count = m_work.nodes.size();
        std::vector<std::uint32_t> waiting(count, 0);
        for (std::uint32_t n = 0; n < count; ++n)
            forSuccessors(n, [&](std::uint32_t next) { ++waiting[next]; });
        using Entry = std::pair<std::uint64_t, std::uint32_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
        const auto push = [&](std::uint32_t n) {
            constexpr std::uint64_t later = std::uint64_t{ 1 } << 32U;
            const Node& node = m_work.nodes[n];
            ready.emplace((isFree(node) ? 0 : later) + node.key, n);
        };
        for (std::uint32_t n = 0; n < count; ++n)
            if (waiting[n] == 0)
                push(n);
        m_order.sequence.reserve(count);
        while (!ready.empty()) {
            const std::uint32_t n = ready.top().second;
            ready.pop();
            m_order.sequence.push_back(n);
            forSuccessors(n, [&](std::uint32_t next) {
                if (--waiting[next] == 0)
                    push(next);
            });
        }
    }

    Work& m_work;
    const FlatProgram& m_program;
    const FlatBlock& m_block;
    Order m_order;
    std::size_t m_firstCopy = 0; ///< nodes from here on save old arguments
    Lists m_edges; ///< node to the nodes that read its values
    std::vector<std::vector<std::uint32_t>> m_before; ///< reader of an argument to the node that overwrites it
    std::vector<std::uint32_t> m_mark;
    std::uint32_t m_round = 0;
};

} // namespace

Order orderNodes(Work& work)
{
    return Orderer(work).run();
}

} // namespace shardscope

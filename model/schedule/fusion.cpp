// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of elementwise operations. A group is legal if its operations work on the same local shape in the same
// sharding, and if no path leaves the group and comes back: then it can be executed at one place.
// Declared in work.h.
#include <algorithm>
#include <numeric>

#include "schedule/work.h"

namespace shardscope {

namespace {

/// Groups stay local: operations further apart in the program would keep inputs alive for long.
constexpr std::uint32_t largestDistance = 128;
constexpr std::size_t largestGroup = 64; ///< operations; their registers for one block fit the first cache

class Fusion {
public:
    explicit Fusion(Work& work)
        : m_work(work)
        , m_program(*work.program)
        , m_block(*work.block)
        , m_members(m_block.ops.size())
        , m_group(m_block.ops.size())
        , m_mark(m_block.ops.size(), 0)
    {
        std::iota(m_group.begin(), m_group.end(), 0U);
    }

    void run()
    {
        const auto count = static_cast<std::uint32_t>(m_block.ops.size());
        for (std::uint32_t op = 0; op < count; ++op) {
            if (!m_work.live[op])
                continue;
            m_members[op].push_back(op);
            if (!m_work.elementwise[op])
                continue;
            const FlatOp& consumer = m_block.ops[op];
            for (std::size_t i = 0; i < consumer.operands.size(); ++i) {
                const std::uint32_t value = m_work.readBy(op, m_work.operand(consumer, i));
                const std::uint32_t producer = value == none ? none : m_work.definition[value];
                if (producer != none && m_work.elementwise[producer] && m_group[producer] != m_group[op]
                    && fits(producer, op))
                    merge(m_group[producer], m_group[op]);
            }
        }
    }

    [[nodiscard]] SmallVector<std::uint32_t, 4>& members(std::uint32_t op) { return m_members[op]; }

private:
    bool fits(std::uint32_t producer, std::uint32_t consumer)
    {
        const FlatValue& a = m_program.value(m_block.ops[producer].results[0]);
        const FlatValue& b = m_program.value(m_block.ops[consumer].results[0]);
        const auto& first = m_members[m_group[producer]];
        const auto& second = m_members[m_group[consumer]];
        return a.localType.shape == b.localType.shape
            && (!a.isShard || !b.isShard || a.sharding.isEquivalent(b.sharding))
            && first.size() + second.size() <= largestGroup
            && consumer - std::min(first.front(), second.front()) <= largestDistance
            && !leavesAndReturns(m_group[producer], m_group[consumer], consumer);
    }

    /// Whether something outside the two groups depends on them while they depend on it. Operations after `last` come
    /// after both groups and are not in any group yet.
    bool leavesAndReturns(std::uint32_t a, std::uint32_t b, std::uint32_t last)
    {
        ++m_round;
        m_stack.clear();
        const auto visitUsers = [&](std::uint32_t group, bool inside) {
            for (const std::uint32_t op : m_members[group])
                for (const FlatValueId result : m_block.ops[op].results)
                    for (const std::uint32_t user : usersOf(result)) {
                        if (user > last)
                            continue;
                        const std::uint32_t next = m_group[user];
                        if (next == a || next == b) {
                            if (!inside)
                                return true;
                        } else if (m_mark[next] != m_round) {
                            m_mark[next] = m_round;
                            m_stack.push_back(next);
                        }
                    }
            return false;
        };
        visitUsers(a, true);
        visitUsers(b, true);
        while (!m_stack.empty()) {
            const std::uint32_t group = m_stack.back();
            m_stack.pop_back();
            if (visitUsers(group, false))
                return true;
        }
        return false;
    }

    [[nodiscard]] std::span<const std::uint32_t> usersOf(FlatValueId value) const
    {
        return value.valid() ? m_work.users[value.index] : std::span<const std::uint32_t>();
    }

    void merge(std::uint32_t a, std::uint32_t b)
    {
        auto& kept = m_members[std::min(a, b)];
        auto& gone = m_members[std::max(a, b)];
        const auto middle = static_cast<std::ptrdiff_t>(kept.size());
        for (const std::uint32_t op : gone) {
            m_group[op] = std::min(a, b);
            kept.push_back(op);
        }
        std::inplace_merge(kept.begin(), kept.begin() + middle, kept.end());
        gone.clear();
    }

    Work& m_work;
    const FlatProgram& m_program;
    const FlatBlock& m_block;
    std::vector<SmallVector<std::uint32_t, 4>> m_members; ///< per group (named by its first operation): sorted
    std::vector<std::uint32_t> m_group; ///< per operation
    std::vector<std::uint32_t> m_mark;
    std::vector<std::uint32_t> m_stack;
    std::uint32_t m_round = 0;
};

} // namespace

void makeNodes(Work& work, bool fuse)
{
    const auto count = static_cast<std::uint32_t>(work.block->ops.size());
    Fusion fusion(work);
    if (fuse)
        fusion.run();
    for (std::uint32_t op = 0; op < count; ++op) {
        if (!work.live[op])
            continue;
        Node node;
        node.key = op;
        if (fuse) {
            if (fusion.members(op).empty())
                continue; // a later member of a group
            node.ops = std::move(fusion.members(op));
        } else {
            node.ops = { op };
        }
        if (isCollective(work.operation(op).kind))
            node.kind = Node::Kind::Collective;
        else if (!work.block->ops[op].blocks.empty())
            node.kind = Node::Kind::Control;
        else if (work.elementwise[op])
            node.kind = Node::Kind::Fused;
        for (const std::uint32_t member : node.ops)
            work.nodeOf[member] = static_cast<std::uint32_t>(work.nodes.size());
        work.nodes.push_back(std::move(node));
    }
}

} // namespace shardscope

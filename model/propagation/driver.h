// SPDX-License-Identifier: GPL-3.0-or-later
// The fixpoint: visits operations until no visit changes anything. The order of visits is part of the outcome.
//
// All operations are queued in program order. When a visit changes a value, the operations around it come next: they go
// on top of the queue, its definition and then its users, unless they are queued already. The operation that was just
// visited is not queued again.
//
// Before and after each fixpoint every returned value and its declared sharding exchange axes, as by an identity.
#pragma once

#include "propagation/op_priority.h"
#include "propagation/propagate.h"

namespace shardscope {

class Driver {
public:
    /// Starts from `values`, the sharding of every value, and `results`, those declared for main's results.
    Driver(const PropagationInput& input, std::vector<TensorSharding> values, std::vector<TensorSharding> results);
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    /// One fixpoint, in a round of the operation priorities, or -1 for everything at once.
    void run(int round);
    void record(const PropagationStep& step) { m_log.push_back(step); }
    /// Gives the input of a constraint the constraint's own sharding and counts that as a step.
    void copyConstraint(const Operation& constraint, OperationId id);

    /// User priorities. Takes what dimensions of a priority above 0 ask for out of their shardings, and keeps its axes
    /// from going anywhere else in them. Returns the priorities that occur, ascending.
    [[nodiscard]] std::vector<std::int32_t> holdBack();
    /// Gives the dimensions of that priority back what was given for them. Ascending, each once.
    void restore(std::int32_t priority);

    [[nodiscard]] const TensorSharding& sharding(ValueId value) const { return m_values[value.index]; }
    [[nodiscard]] PropagationResult finish() &&;

private:
    static constexpr std::uint32_t nowhere = ~std::uint32_t{ 0 };

    struct Slot {
        TensorSharding* sharding = nullptr;
        ValueId value; ///< invalid for the declared sharding of a result
    };

    /// An operation with a rule, or the identity between a returned value and its declared sharding.
    struct Node {
        FactorRule rule;
        OperationId operation; ///< invalid for identities
        SmallVector<Slot, 4> operands;
        SmallVector<Slot, 1> results;
        PriorityClass priority = PriorityClass::Other;
        bool elementwise = false;
        bool singleUse = false;
        Allowance seenAllowance;
        std::uint64_t seen = 0; ///< clock at the last visit; 0 = never
    };

    /// A sharding of which parts are held back, as it was given.
    struct Held {
        TensorSharding* sharding = nullptr;
        ValueId value; ///< invalid for the declared sharding of a result
        std::size_t result = 0;
        TensorSharding given;
    };

    void addOperations(const Region& region);
    void addResults();
    void buildUsers();
    [[nodiscard]] Slot slot(ValueId value) { return { &m_values[value.index], value }; }
    [[nodiscard]] bool nothingNew(const Node& node, Allowance allowed) const;
    /// Whether anything was written; the values that were are then in m_written.
    bool visit(Node& node, Allowance allowed);
    void visitResults();
    bool write(const Node& node, std::uint64_t since, const Slot& slot, const FactorRule::TensorMapping& mapping,
        const TensorProjection& before, const TensorProjection& after);
    void log(const Node& node, const Slot& slot, const FactorRule::TensorMapping& mapping,
        const TensorProjection& before, const TensorProjection& after);
    [[nodiscard]] ValueId sourceOf(const Node& node, std::size_t factor, const AxisList& axes, ValueId to) const;
    void project(const Node& node, ShardingProjection& projection) const;
    void touch(ValueId value);
    void notify(ValueId value, std::uint32_t except);
    void push(std::uint32_t node);

    const PropagationInput& m_input;
    const Program& m_program;
    std::vector<TensorSharding> m_values;
    std::vector<TensorSharding> m_results;
    std::vector<PropagationStep> m_log;
    std::uint32_t m_steps = 0;

    std::vector<Node> m_nodes; ///< in program order
    std::vector<Node> m_identities; ///< per result of main
    std::vector<std::uint32_t> m_nodeOf; ///< per OperationId
    std::vector<std::uint32_t> m_uses; ///< per ValueId: operand slots and returns
    std::vector<std::uint32_t> m_usersBegin; ///< per ValueId into m_users, and one more
    std::vector<std::uint32_t> m_users; ///< nodes
    std::vector<std::uint64_t> m_changed; ///< per ValueId: clock at the last change
    std::vector<char> m_hasAxes; ///< per ValueId
    std::vector<Held> m_held;
    std::uint64_t m_clock = 1;
    int m_round = -1;

    std::vector<std::uint32_t> m_queue; ///< the next one at the end
    std::vector<char> m_queued; ///< per node
    SmallVector<ValueId, 4> m_written;
    bool m_revisit = false;

    std::vector<ShardingProjection> m_scratch; ///< by number of operands, so that their memory is used again
    ShardingProjection m_before;
    SmallVector<Direction, 8> m_directions;
};

} // namespace shardscope

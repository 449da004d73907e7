// SPDX-License-Identifier: GPL-3.0-or-later
// The fixpoint: visits nodes until no visit changes anything. The order of visits is part of the outcome.
//
// All nodes are queued in program order. When a visit changes a tensor, the nodes around it come next: they go on top
// of the queue, its definition and then its users, unless they are queued already. The node that was just visited is
// not queued again.
//
// Before and after each fixpoint every returned value of main and its declared sharding exchange axes, as by an
// identity.
#pragma once

#include "propagation/graph.h"
#include "propagation/initial_shardings.h"

namespace shardscope {

class Driver {
public:
    /// Starts from the shardings of the program.
    explicit Driver(const PropagationInput& input);
    /// Starts from the shardings of a result.
    Driver(const PropagationInput& input, const PropagationResult& from);
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    /// One fixpoint, in a round of the operation priorities, or -1 for everything at once.
    void run(int round);

    /// User priorities ("x"p1). Removes the axes of all dimensions with a priority above 0 from the shardings until
    /// restore(), and keeps the same axes from reaching other dimensions of these tensors meanwhile. Manual axes of
    /// operands and results of manual computations stay. Returns the priorities that occur, ascending.
    [[nodiscard]] std::vector<std::int32_t> holdBack();
    /// Gives the dimensions of that priority their axes back. Called in ascending order, once for each.
    void restore(std::int32_t priority);

    [[nodiscard]] const TensorSharding& sharding(ValueId value) const
    {
        return m_shardings[m_state[m_graph.tensorOf[value.index]]];
    }
    [[nodiscard]] PropagationResult finish() &&;

    // The tables of the run, for firstBlocker() and replay.
    [[nodiscard]] const Program& program() const { return m_program; }
    [[nodiscard]] const PropagationGraph& graph() const { return m_graph; }
    [[nodiscard]] const MeshTable& meshes() const { return m_meshes; }
    [[nodiscard]] const StepTable& steps() const { return m_table; }
    [[nodiscard]] const ShardingTable& shardings() const { return m_shardings; }
    /// The shardings around a node as a step sees them.
    void gather(const PropagationNode& node, std::vector<ShardingNumber>& shardings);
    [[nodiscard]] ShardingNumber state(TensorNumber tensor) const { return m_state[tensor]; }
    [[nodiscard]] StepKind stepKind(const PropagationNode& node, Allowance allowed) const;

private:
    /// A tensor some of whose axes are held back by holdBack().
    struct Held {
        TensorNumber tensor = 0;
        ShardingNumber initial = 0; ///< its sharding before holdBack()
        std::uint64_t manualAxes = 0; ///< shard it from the first round on
    };

    Driver(const PropagationInput& input, int);
    void start(InitialShardings initial);
    [[nodiscard]] ConflictResolution resolution() const;
    void fixpoint();
    [[nodiscard]] bool nothingNew(std::uint32_t node, StepKind kind) const;
    /// One step at a node. Returns whether it changed any tensor.
    bool visit(std::uint32_t node, Allowance allowed);
    void visitResults();
    bool write(const PropagationNode& node, std::uint64_t since, const StepWrite& write);
    void log(const PropagationNode& node, const StepWrite& write);
    /// The sharding at the edge of a manual computation, on the other side of its boundary: the driver stores the one
    /// on one side, without or with the manual axes (ManualView::inside), and steps use the one on the other.
    [[nodiscard]] ShardingNumber acrossBoundary(ShardingNumber sharding, std::int32_t view, bool toStored);
    void touch(TensorNumber tensor, ShardingNumber sharding);
    void notify(TensorNumber tensor, std::uint32_t except);
    void push(std::uint32_t node);

    const PropagationInput& m_input;
    const Program& m_program;
    const MeshTable m_meshes;
    ShardingTable m_shardings;
    StepTable m_table;
    PropagationGraph m_graph;
    std::vector<ShardingNumber> m_state; ///< per tensor
    std::vector<PropagationStep> m_log;
    std::vector<PropagationStep> m_resultLog;
    std::uint32_t m_steps = 0;

    std::vector<std::uint64_t> m_changed; ///< per tensor: clock at the last change
    std::vector<std::uint64_t> m_seen; ///< per node: clock at the last visit; 0 = never
    std::vector<StepKind> m_seenKind;
    std::vector<Held> m_held;
    std::uint64_t m_clock = 1;
    int m_round = -1;
    std::int32_t m_priority = -1;
    bool m_basic = false;

    std::vector<std::uint32_t> m_queue; ///< the next one at the end
    std::vector<char> m_queued; ///< per node
    SmallVector<TensorNumber, 4> m_declared;
    bool m_revisit = false;
    std::vector<ShardingNumber> m_around;
};

} // namespace shardscope

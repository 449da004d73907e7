// SPDX-License-Identifier: GPL-3.0-or-later
// What propagation walks over: nodes that move axes, and the tensors between them.
//
// A tensor is whatever has one sharding: a value, several values that share one (the targets of a data-flow edge, the
// members of a sharding group), or the declared sharding of a result of main. Tensors are numbered as the values that
// represent them; the declared results follow after the last value.
//
// A node is an operation with a factor rule, a data-flow edge, or the identity between a returned value and its
// declared sharding. Nodes of operations and edges stand in program order, those of results after them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "propagation/data_flow.h"
#include "propagation/op_priority.h"
#include "propagation/propagate.h"
#include "propagation/step_table.h"

namespace shardscope {

using TensorNumber = std::uint32_t;

enum class NodeKind : std::uint8_t { Operation, Edge, CallEdge, Result };

struct PropagationNode {
    std::uint32_t rule = 0; ///< in the table of steps
    std::uint32_t firstTensor = 0; ///< into PropagationGraph::tensors; operands, then results
    std::uint32_t operands = 0, results = 0;
    OperationId operation; ///< of an edge: its own operation, or the one with the bodies; invalid for results
    std::uint32_t result = 0; ///< of main, for NodeKind::Result
    std::int32_t view = -1; ///< of the edge's tensor, into PropagationGraph::views
    NodeKind kind = NodeKind::Operation;
    PriorityClass priority = PriorityClass::Other;
    Direction allowed = Direction::Both; ///< by a propagation barrier
    bool elementwise = false;
    bool singleUse = false;
    bool fullAxes = false;
};

struct PropagationGraph {
    std::vector<PropagationNode> nodes;
    std::uint32_t firstResultNode = 0;
    std::vector<TensorNumber> tensors; ///< of all nodes
    std::vector<ValueId> values; ///< beside `tensors`: as which value the node knows it; invalid for declared results
    std::vector<ManualView> views;
    std::vector<TensorNumber> tensorOf; ///< per ValueId
    std::vector<char> isEdgeTarget; ///< per tensor: of a data-flow edge other than one of a call
    std::vector<std::uint32_t> nodeOf; ///< per OperationId; none where there is no node
    static constexpr std::uint32_t none = ~std::uint32_t{ 0 };

    /// Nodes that define a tensor, and those that use it: one entry per operand, in order.
    std::vector<std::uint32_t> definitionsBegin, definitions, usersBegin, users;

    [[nodiscard]] std::span<const TensorNumber> tensorsOf(const PropagationNode& node) const
    {
        return { tensors.data() + node.firstTensor, std::size_t{ node.operands } + node.results };
    }
    [[nodiscard]] std::span<const ValueId> valuesOf(const PropagationNode& node) const
    {
        return { values.data() + node.firstTensor, std::size_t{ node.operands } + node.results };
    }
    [[nodiscard]] std::span<const std::uint32_t> definitionsOf(TensorNumber tensor) const
    {
        return { definitions.data() + definitionsBegin[tensor],
            definitionsBegin[tensor + 1] - definitionsBegin[tensor] };
    }
    [[nodiscard]] std::span<const std::uint32_t> usersOf(TensorNumber tensor) const
    {
        return { users.data() + usersBegin[tensor], usersBegin[tensor + 1] - usersBegin[tensor] };
    }
};

/// `specified`: the initial sharding per ValueId. Members of a sharding group get their common one there.
[[nodiscard]] PropagationGraph buildGraph(const PropagationInput& input, const MeshTable& meshes,
    const ShardingTable& shardings, StepTable& steps, std::vector<ShardingNumber>& specified);

} // namespace shardscope

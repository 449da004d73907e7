// SPDX-License-Identifier: GPL-3.0-or-later
// What Shardy can record of a propagation, from the log: the edges along which axes went through an operation
// (`sdy.propagation_edges`), and what each axis of a value goes back to (`sdy.sharding_origins`).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "propagation/propagate.h"

namespace shardscope {

/// An axis that went from one tensor of an operation to others; operands count first, then results. At a data-flow edge
/// its sources are the operands, and what owns it is the one result, as Shardy counts them.
struct AxisEdge {
    AxisRef axis;
    std::int16_t source = 0;
    std::vector<std::int16_t> targets; ///< ascending
    bool operator==(const AxisEdge&) const = default;
};
/// All edges of one visit.
struct StepEdges {
    std::uint32_t step = 0; ///< counted from 1
    std::vector<AxisEdge> edges;
    ValueId owner = {}; ///< of the data-flow edge that was visited; invalid for other operations
    std::vector<ValueId> sources = {}; ///< of that edge
    bool operator==(const StepEdges&) const = default;
};
/// How many of the numbers in `step` are operands.
[[nodiscard]] std::size_t operandCount(const Operation& operation, const StepEdges& step);
/// The value that a number in `step` stands for.
[[nodiscard]] ValueId tensorOf(const Operation& operation, const StepEdges& step, std::int16_t number);

/// Of every operation, by OperationId; of one by step. What arrived from nowhere else (a sharding that was copied) has
/// no edge.
[[nodiscard]] std::vector<std::vector<StepEdges>> propagationEdges(
    const PropagationInput& input, const PropagationResult& result);
/// Between a returned value of main (operand 0) and its declared sharding (result 0, tensor 1).
[[nodiscard]] std::vector<StepEdges> resultEdges(const PropagationResult& result, std::size_t index);

/// Where a sharding was given.
struct ShardingOrigin {
    enum class Kind : std::uint8_t {
        Value, ///< on an operation that is none of those below; `index` is the value's
        Input, ///< argument of main
        Output, ///< declared result of main
        Constraint, ///< `index` counts the constraints of the program, in order
        ManualInput, ///< `index` counts the manual computations, `place` their operands
        ManualOutput
    };
    Kind kind = Kind::Value;
    std::uint32_t index = 0;
    std::uint32_t place = 0;
    bool operator==(const ShardingOrigin&) const = default;
};
/// As Shardy writes it: "input: 0", "constraint_1", "mc_0_input: 1".
[[nodiscard]] std::string toString(const ShardingOrigin& origin);

struct AxisOrigin {
    AxisRef axis;
    ShardingOrigin origin;
    bool isSelf = false; ///< given where it stands
    bool operator==(const AxisOrigin&) const = default;
};

class ShardingOrigins {
public:
    /// `copied`: values that were given the sharding of something else before propagation (that of a constraint).
    ShardingOrigins(const PropagationInput& input, const PropagationResult& result,
        const std::vector<std::pair<ValueId, ShardingOrigin>>& copied = {});

    /// In the order in which they arrived; an axis that arrived in parts is there in parts and as a whole.
    [[nodiscard]] std::vector<AxisOrigin> ofValue(ValueId value) const;
    [[nodiscard]] std::vector<AxisOrigin> ofResult(std::size_t index) const;
    /// What an axis given on the value itself goes back to.
    [[nodiscard]] ShardingOrigin nameOf(ValueId value) const;

private:
    using Axes = std::vector<std::pair<AxisRef, ShardingOrigin>>;
    void nameValues(const Program& program);
    void take(const PropagationStep& step, bool toResult);
    /// Those that are held in the end.
    [[nodiscard]] static std::vector<AxisOrigin> marked(
        const Axes& axes, const ShardingOrigin& own, const TensorSharding& current);

    const PropagationResult& m_result;
    std::vector<ShardingOrigin> m_names; ///< per ValueId
    std::map<std::uint32_t, ShardingOrigin> m_copied; ///< by ValueId
    /// Per representative. A declared result and the value that is returned as it share one list, as Shardy keeps
    /// them: what was given on either is the origin on both.
    std::vector<Axes> m_values;
    std::vector<ValueId> m_returned; ///< per result of main
};

} // namespace shardscope

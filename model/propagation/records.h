// SPDX-License-Identifier: GPL-3.0-or-later
// What Shardy records of a propagation when it is asked to, made from our log: the edges along which axes went through
// an operation (`sdy.propagation_edges`), and where each axis of a value was first specified (`sdy.sharding_origins`).
//
//     add(a, b) -> c with a: [{"x",?}] specified for input 0, in the first step:
//     AxisEdge { x, source 0 (a), targets 1, 2 (b, c) },  origin of x on c: "input: 0"
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "propagation/propagate.h"

namespace shardscope {

/// An axis that went from one tensor of an operation to others. Tensors are numbered operands first, then results; at a
/// data-flow edge, as in Shardy, its sources are the operands and its owner is the one result.
struct AxisEdge {
    AxisRef axis;
    std::int16_t source = 0;
    std::vector<std::int16_t> targets; ///< ascending
    bool operator==(const AxisEdge&) const = default;
};
/// The edges of one propagation step at one operation.
struct StepEdges {
    std::uint32_t step = 0; ///< counted from 1
    std::vector<AxisEdge> edges;
    // Of a step at a data-flow edge:
    ValueId owner = {}; ///< invalid for other operations
    std::vector<ValueId> sources = {};
    bool operator==(const StepEdges&) const = default;
};
/// How many tensors are operands: those with lower numbers are, the others are results.
[[nodiscard]] std::size_t operandCount(const Operation& operation, const StepEdges& step);
/// The value of tensor `number`.
[[nodiscard]] ValueId tensorOf(const Operation& operation, const StepEdges& step, std::int16_t number);

/// The edges of every operation, by OperationId; of each operation in the order of steps. A sharding that was copied
/// and not propagated has no edge.
[[nodiscard]] std::vector<std::vector<StepEdges>> propagationEdges(
    const PropagationInput& input, const PropagationResult& result);
/// The edges between the value that main returns as result `index` (tensor 0) and the sharding declared for that result
/// (tensor 1).
[[nodiscard]] std::vector<StepEdges> resultEdges(const PropagationResult& result, std::size_t index);

/// Where the program specifies a sharding.
struct ShardingOrigin {
    enum class Kind : std::uint8_t {
        Value, ///< on the result of another operation; `index` is its ValueId
        Input, ///< for argument `index` of main
        Output, ///< for result `index` of main
        Constraint, ///< by the constraint number `index` of the program
        ManualInput, ///< in_shardings: operand `place` of the manual computation number `index`
        ManualOutput ///< out_shardings: its result `place`
    };
    Kind kind = Kind::Value;
    std::uint32_t index = 0; ///< counted from 0 in program order
    std::uint32_t place = 0;
    bool operator==(const ShardingOrigin&) const = default;
};
/// As Shardy writes it: "input: 0", "constraint_1", "mc_0_input: 1".
[[nodiscard]] std::string toString(const ShardingOrigin& origin);

struct AxisOrigin {
    AxisRef axis;
    ShardingOrigin origin;
    bool isSelf = false; ///< the axis was specified for this very value
    bool operator==(const AxisOrigin&) const = default;
};

class ShardingOrigins {
public:
    /// `copied`: values to which a sharding was copied before propagation, with where it was specified: the operand of
    /// a constraint, with the constraint.
    ShardingOrigins(const PropagationInput& input, const PropagationResult& result,
        const std::vector<std::pair<ValueId, ShardingOrigin>>& copied = {});

    /// The axes of the value's final sharding and their origins, in the order in which they arrived. An axis that
    /// arrived as several sub-axes is listed as these and once more in full.
    [[nodiscard]] std::vector<AxisOrigin> ofValue(ValueId value) const;
    [[nodiscard]] std::vector<AxisOrigin> ofResult(std::size_t index) const;
    /// The origin of a sharding that is specified for the value itself.
    [[nodiscard]] ShardingOrigin nameOf(ValueId value) const;

private:
    using Axes = std::vector<std::pair<AxisRef, ShardingOrigin>>;
    void nameValues(const Program& program);
    void take(const PropagationStep& step, bool toResult);
    /// Those of `axes` that `current`, the final sharding, still has.
    [[nodiscard]] static std::vector<AxisOrigin> marked(
        const Axes& axes, const ShardingOrigin& own, const TensorSharding& current);

    const PropagationResult& m_result;
    std::vector<ShardingOrigin> m_names; ///< per ValueId
    std::map<std::uint32_t, ShardingOrigin> m_copied; ///< by ValueId
    /// Per representative of values that have one sharding. A declared result and the value that main returns there
    /// share a list, as in Shardy: what was specified for one of them is the origin on both.
    std::vector<Axes> m_values;
    std::vector<ValueId> m_returned; ///< per result of main
};

} // namespace shardscope

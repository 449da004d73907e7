// SPDX-License-Identifier: GPL-3.0-or-later
// Steps by number. What a step does depends on the rule, on the shardings around the operation and on what is allowed,
// on nothing else; layers repeat each other, so that most steps of a program have been computed before.
#pragma once

#include <optional>
#include <span>

#include "propagation/factor_propagation.h"
#include "propagation/sharding_table.h"

namespace shardscope {

/// How a step is done.
struct StepKind {
    Direction passThrough = Direction::Both; ///< along pass-through factors
    Direction others = Direction::Both; ///< along all other ones
    bool elementwise = false;
    bool fullAxes = false; ///< no parts of axes
    bool basic = false;
    bool operator==(const StepKind&) const = default;
};

/// One axis that arrives at one dimension of a tensor.
struct StepMove {
    AxisRef axis;
    std::int16_t factor = 0;
    std::int16_t dimension = 0;
    std::int16_t from = -1; ///< tensor that it comes from; -1 = the receiving one
};

/// What one tensor of the operation (operands first) holds after the step.
struct StepWrite {
    std::uint32_t tensor = 0;
    ShardingNumber sharding = 0; ///< may be what it held before
    std::uint32_t firstMove = 0, moves = 0;
};

class StepTable {
public:
    StepTable(const MeshTable& meshes, ShardingTable& shardings);

    /// Number of the rule; equal rules have one.
    [[nodiscard]] std::uint32_t add(FactorRule rule);
    [[nodiscard]] const FactorRule& rule(std::uint32_t number) const { return m_rules[number]; }

    /// One sharding per tensor of the rule. The span holds until the next step is computed.
    [[nodiscard]] std::span<const StepWrite> step(
        std::uint32_t rule, StepKind kind, std::span<const ShardingNumber> tensors);
    [[nodiscard]] std::span<const StepMove> moves(const StepWrite& write) const
    {
        return { m_moves.data() + write.firstMove, write.moves };
    }

    /// The one mesh of all tensors that have a sharding: the first that is not empty. Nothing if there are two, none,
    /// or only a single device.
    [[nodiscard]] std::optional<std::uint32_t> commonMesh(std::span<const ShardingNumber> tensors) const;

    [[nodiscard]] std::size_t computed() const { return m_outcomes.size(); }

private:
    struct Outcome {
        std::uint32_t rule = 0;
        std::uint32_t kind = 0;
        std::uint32_t firstTensor = 0; ///< of its key
        std::uint32_t firstWrite = 0, writes = 0;
    };
    void compute(std::uint32_t rule, StepKind kind, std::span<const ShardingNumber> tensors);
    void write(const FactorRule& rule, std::uint32_t mesh, std::uint32_t tensor, ShardingNumber old);
    [[nodiscard]] std::int16_t sourceOf(
        const ShardingProjection& before, std::size_t factor, const AxisList& axes) const;

    const MeshTable& m_meshes;
    ShardingTable& m_shardings;
    std::vector<FactorRule> m_rules;
    HashIndex m_ruleIndex;

    std::vector<Outcome> m_outcomes;
    std::vector<ShardingNumber> m_keys;
    std::vector<StepWrite> m_writes;
    std::vector<StepMove> m_moves;
    HashIndex m_index;

    ShardingProjection m_before, m_after;
    SmallVector<Direction, 8> m_directions;
};

/// The projections of all tensors; nothing if a sharding does not have the rank of its tensor.
[[nodiscard]] bool projectAll(ShardingProjection& projection, const FactorRule& rule, const ShardingTable& shardings,
    std::span<const ShardingNumber> tensors);
/// Directions per factor.
void directionsOf(SmallVector<Direction, 8>& directions, const FactorRule& rule, StepKind kind);

} // namespace shardscope

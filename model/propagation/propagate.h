// SPDX-License-Identifier: GPL-3.0-or-later
// Propagation: from the shardings that are given to one for every value, by factor rules, as OpenXLA Shardy does it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/op_row.h"
#include "program/program.h"
#include "sharding/tensor_sharding.h"

namespace shardscope {

/// Aggressive or basic resolution of conflicts. `OperationPriority` runs the rounds of operation priorities with the
/// aggressive one; `Full` runs them once per user priority as well: dimensions without a priority or with priority 0 go
/// first, then those of every higher number in turn take part. The other strategies take no notice of user priorities.
enum class Strategy : std::uint8_t { Basic, Aggressive, OperationPriority, Full };

/// How a step resolves conflicts where the strategy leaves it open: `BasicThenAggressive` runs each fixpoint twice.
enum class ConflictResolution : std::uint8_t { Aggressive, Basic, BasicThenAggressive };

struct PropagationOptions {
    ConflictResolution resolution = ConflictResolution::Aggressive;
    /// Only full axes move through operations, and rules leave out what would split a dimension into strided parts.
    bool conservative = false;
    /// Loops, branches, barriers, manual and named computations pass shardings on where the program has no
    /// data_flow_edge operation for that.
    bool implicitEdges = true;
    /// Calls likewise, where it has no func_data_flow_edge. All calls of a function share its shardings.
    bool implicitCallEdges = true;
    bool operator==(const PropagationOptions&) const = default;
};

/// Why a value had a sharding before propagation. What operations, edges and manual computations are given counts as
/// a constraint.
enum class SeedKind : std::uint8_t { Argument, Result, Constraint };

/// A program is expected to have one constant (iota, broadcast scalar) per use, as the users of its builder make them:
/// one that is shared would carry a sharding from one use to the other.
///
/// Propagation begins with the shardings that the program has, over its meshes; all of its functions are propagated.
struct PropagationInput {
    ProgramPtr program;
    Strategy strategy = Strategy::Full;
    PropagationOptions options{};
};

/// One accepted step: one axis arrived at one dimension of one value.
///
/// The declared sharding of a result has no id of its own. Its seeds have the returned value as `to`; the record of an
/// axis that the value then takes over from it has the value both as `from` and as `to`. What the declared sharding
/// takes over from the value is not recorded, though it counts as a step.
struct PropagationStep {
    /// Visits that changed something, counted globally from 1 on; several records may share one. 0 for seeds.
    std::uint32_t step = 0;
    std::int8_t round = -1; ///< round of operation priorities, -1 = none
    std::int16_t factor = -1; ///< of the operation's rule; -1 for seeds
    OperationId operation; ///< invalid for seeds and for the identity between a result of main and its value
    std::optional<SeedKind> seed; ///< set for the first records: what was given
    AxisRef axis;
    ValueId from; ///< invalid for seeds
    ValueId to;
    std::int16_t toDimension = 0;
    std::int16_t fromTensor = -1; ///< of the operation's operands, then results; -1 = none
    std::int16_t toTensor = -1;
    std::int32_t priority = -1; ///< user priority whose turn it was, -1 = before any
    bool basic = false; ///< conflicts were resolved in the basic way
    std::int32_t result = -1; ///< of main, where its declared sharding is one of the two
    bool operator==(const PropagationStep&) const = default;
};

struct PropagationResult {
    std::vector<TensorSharding> shardings; ///< per ValueId
    std::vector<PropagationStep> log;
    std::uint32_t steps = 0;
    std::vector<TensorSharding> results; ///< per result of main: what was declared, grown where it is open

    /// What the declared shardings of results took over; `to` is the returned value, `result` says which.
    std::vector<PropagationStep> resultLog;
    /// Per ValueId and per result: index of the mesh plus one, 0 where there is no sharding at all.
    std::vector<std::uint32_t> meshes, resultMeshes;
    /// Values that share one sharding (the owner of a data-flow edge and its targets, members of a group) have one
    /// representative among them. Empty: every value has its own.
    std::vector<ValueId> representative;
    [[nodiscard]] ValueId representativeOf(ValueId value) const
    {
        return representative.empty() || !value.valid() ? value : representative[value.index];
    }
};

[[nodiscard]] PropagationResult propagate(const PropagationInput& input);

/// The chain of records by which `axis` came to a dimension of a value, from the seed to the value. Empty if the
/// dimension does not hold the axis.
[[nodiscard]] std::vector<PropagationStep> provenance(
    const PropagationResult& result, ValueId value, std::size_t dimension, AxisRef axis);

} // namespace shardscope

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

/// Aggressive or basic resolution of conflicts; `Full` runs the rounds of operation priorities with the aggressive one.
enum class Strategy : std::uint8_t { Basic, Aggressive, OperationPriority, Full };

/// Why a value had a sharding before propagation.
enum class SeedKind : std::uint8_t { Argument, Result, Constraint };

struct Seed {
    TensorSharding sharding;
    bool operator==(const Seed&) const = default;
};

/// Everything indexed by the ids of the program; an absent seed = no annotation.
struct PropagationInput {
    ProgramPtr program;
    MeshPtr mesh;
    std::vector<std::optional<TensorSharding>> arguments; ///< per argument of main
    std::vector<std::optional<TensorSharding>> results; ///< per result of main
    std::vector<std::optional<TensorSharding>> constraints; ///< per OperationId; absent for inactive constraints
    Strategy strategy = Strategy::Full;
};

/// One accepted step: one axis arrived at one dimension of one value.
struct PropagationStep {
    std::uint32_t step = 0; ///< visits that changed something, counted globally; several records may share one
    std::int8_t round = -1; ///< round of operation priorities, -1 = none
    std::int16_t factor = -1; ///< of the operation's rule; -1 for seeds
    OperationId operation; ///< invalid for seeds and for the identity between a result of main and its value
    std::optional<SeedKind> seed; ///< set for the first records: what was given
    AxisRef axis;
    ValueId from; ///< invalid for seeds
    ValueId to;
    std::int16_t toDimension = 0;
};

struct PropagationResult {
    std::vector<TensorSharding> shardings; ///< per ValueId
    std::vector<PropagationStep> log;
    std::uint32_t steps = 0;
};

[[nodiscard]] PropagationResult propagate(const PropagationInput& input);

/// The chain of records by which `axis` came to a dimension of a value, from the seed to the value. Empty if the
/// dimension does not hold the axis.
[[nodiscard]] std::vector<PropagationStep> provenance(
    const PropagationResult& result, ValueId value, std::size_t dimension, AxisRef axis);

} // namespace shardscope

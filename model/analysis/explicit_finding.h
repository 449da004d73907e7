// SPDX-License-Identifier: GPL-3.0-or-later
// What JAX's explicit mode refuses, as a diagnostic: who contradicts whom, and what may be written instead.
#pragma once

#include <optional>
#include <vector>

#include "program/explicit_mode.h"
#include "program/program.h"

namespace shardscope {

struct ExplicitConflict {
    ExplicitOutcome outcome; ///< the refusal
    std::vector<ExplicitArray> operands; ///< in the types that they have; of a loop or choice the two that differ
    std::optional<TensorSharding> out = {}; ///< the result's sharding as propagation has it
    std::optional<TensorSharding> wanted = {}; ///< the sharding that the program gives the result
};

/// Code::ExplicitMode with the arguments that pipeline/explicit_check.h lists, at the operation's line and result.
[[nodiscard]] Diagnostic explicitDiagnostic(
    const Program& program, const Mesh& mesh, OperationId operation, const ExplicitConflict& conflict);

/// Likewise, of a value whose dimension is split into shards that are not of one size: an argument of main, or the
/// result of an operation. Arguments op ("" for an argument), wrong, dim, size, pieces, first_spec (how the value is
/// sharded).
[[nodiscard]] Diagnostic unevenDiagnostic(
    const Program& program, const Mesh& mesh, ValueId value, const TensorSharding& sharding, std::size_t dimension);

} // namespace shardscope

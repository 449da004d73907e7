// SPDX-License-Identifier: GPL-3.0-or-later
// Whether JAX's explicit mode would accept a program: there every result has its sharding by the rule of its operation,
// and nothing is propagated.
//
//     x sharded [data, -], y = x W with W sharded [-, data]: refused, the result would be sharded over data twice.
//     Write out_sharding=P('data', None) on it.
//
// The program is walked in order, from the shardings that arguments are given. A constraint or reshard sets the
// sharding of what it is put on; a sharding that a text has on an operation is its out_sharding. What is refused goes
// on with the sharding that propagation decided, so that a cause is said once. So does an operation for which no rule
// is stated, or that differentiation made: those are counted, and not judged.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/snapshot.h"
#include "program/explicit_mode.h"

namespace shardscope {

struct ExplicitRefusal {
    /// Of the snapshot's program; its ids are those of the program as it was given. Invalid for an argument of main.
    OperationId operation;
    ExplicitProblem problem = ExplicitProblem::None;
    /// Code::ExplicitMode. Arguments: op, wrong (kindName); as far as they say something: dim, axes, first, first_spec,
    /// second, second_spec (operands, "" for a nameless one, with first_index, second_index), out (the sharding that
    /// propagation gives the result), size, parts, argument (of what does not divide), mend, mend_index, mend_spec (an
    /// operand, and what it is to be resharded to).
    Diagnostic diagnostic;
};

struct ExplicitReport {
    std::vector<ExplicitRefusal> refusals; ///< in program order, one per operation
    std::int64_t accepted = 0; ///< operations whose rule gives their sharding
    std::int64_t differentiated = 0; ///< that a rule would refuse, but that differentiation made: not judged
    std::int64_t resharded = 0; ///< constraints and reshards that change a sharding
    /// Not judged: operations without a stated rule, by name, how often; the most frequent first.
    std::vector<std::pair<std::string, std::int64_t>> unjudged;
    /// Of what main gives: its type, where all is accepted and judged that it follows from, else what propagation
    /// decided. Nothing for what is no array, or lies on another mesh.
    std::vector<std::optional<TensorSharding>> results;

    [[nodiscard]] bool accepts() const { return refusals.empty(); }
};

/// Of an analysed experiment. Nothing where nothing was propagated, or where it is stopped.
[[nodiscard]] std::optional<ExplicitReport> explicitReport(const Snapshot& snapshot, const std::stop_token& stop = {});

} // namespace shardscope

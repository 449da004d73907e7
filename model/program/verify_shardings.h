// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the meshes, shardings, sharding rules, Shardy operations and collectives of a program are legal, as OpenXLA
// Shardy sees it. Types, operands and order of operations are checked by verify(program).
//
//     for (const Diagnostic& found : verifyShardings(program))
//         ... // found.where: line, column, path of the value; arguments op, role and index say what it is about
//
// `role` is what of the operation (or of the function) is wrong: "argument", "function_result", "operand", "result",
// "sharding" (its own, of a constraint, reshard, edge or collective), "in_sharding", "out_sharding", "axes" (the lists
// of a collective), "body_argument", "body_result", "rule", "edges" (provenance), "mesh". `index` counts from 0 and is
// absent where there is one only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// All findings, in program order; empty for a legal program. The program has to pass verify() as far as its values,
/// operations and regions exist.
[[nodiscard]] std::vector<Diagnostic> verifyShardings(const Program& program);

/// Whether values that are still to be added up are treated as such: operations may add unreduced axes (a product whose
/// contracted dimension is sharded), and only reshards, constraints and reductions may drop them. Function by function;
/// the first violation (Code::UnreducedAxes), if any.
/// Shardy lets parts through any operation. What is to be executed needs one that makes of parts what it makes of the
/// whole (program/partial_values.h): Computable asks for that as well.
enum class PartsRule : std::uint8_t { Shardy, Computable };
[[nodiscard]] std::optional<Diagnostic> verifyUnreduced(const Program& program, PartsRule rule = PartsRule::Shardy);

} // namespace shardscope

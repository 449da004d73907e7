// SPDX-License-Identifier: GPL-3.0-or-later
// One operation of a network on full arrays, by the plain kernel of its kind, in its own types or in double.
#pragma once

#include <span>
#include <vector>

#include "program/program.h"
#include "simulate/check/reference.h"

namespace shardscope {

/// Computes the operation's result from `operands` (row-major, one per operand) into `out`.
void evaluateReference(const Program& program, const Operation& operation,
    std::span<const std::vector<double>* const> operands, ReferencePrecision precision, std::vector<double>& out);
/// To the nearest value of the element type.
[[nodiscard]] double roundedTo(DType dtype, double value);

} // namespace shardscope

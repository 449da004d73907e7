// SPDX-License-Identifier: GPL-3.0-or-later
// The most common factor rule: every dimension of the result is the same dimension of each operand.
#pragma once

#include "program/op_row.h"

namespace shardscope {

/// One factor per dimension, which several sources share with one target of their type.
///
///     identityRule(tensor<8x4xf32>, 2):   ([i, j], [i, j]) -> ([i, j]) {i=8, j=4}
[[nodiscard]] FactorRule identityRule(const TensorType& type, std::size_t sources = 1);
/// Whether factorRule() of the operation is identityRule() of its result's type and the number of its operands: it is
/// elementwise, all operands have the rank of the result, and the user attached no other rule.
[[nodiscard]] bool hasIdentityRule(const Program& program, const Operation& operation);

} // namespace shardscope

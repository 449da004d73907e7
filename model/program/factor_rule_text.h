// SPDX-License-Identifier: GPL-3.0-or-later
// Factor rules in Shardy's notation, and the rules that users attach to operations (program/declared_rule.h reads
// them).
//
//     ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}
#pragma once

#include <optional>
#include <string>

#include "program/op_row.h"

namespace shardscope {

/// The rule without a frame: "([i, j])->([j, i]) {i=4, j=2}, custom". "" for the rule of an operation that has none.
[[nodiscard]] std::string toString(const FactorRule& rule);
/// The rule that the user attached to the operation, if it can be read and has as many operands, results and dimensions
/// as the operation. (Whether it is a good one, verifyShardings says.)
[[nodiscard]] std::optional<FactorRule> attachedRule(const Program& program, const Operation& operation);

} // namespace shardscope

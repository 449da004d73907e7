// SPDX-License-Identifier: GPL-3.0-or-later
// Sharding rules that a person gives operations of a program at hand, in the place of those that they have.
//
//     const OperationId product = operationAt(program, "3");
//     Result<std::string> rule = checkedRule(program, product, "([i, k], [k, j])->([i, j]) {i=8, j=32, k=16}");
//     attachRule(program, product, *rule);   // factorRule(program, ...) is that one, and custom
#pragma once

#include <string>
#include <string_view>

#include "program/program.h"

namespace shardscope {

/// The operation whose first result has this path; invalid if there is none.
[[nodiscard]] OperationId operationAt(const Program& program, std::string_view path);
/// Whether propagation asks the operation for a rule. Of boundaries of bodies, calls, barriers and what moves data it
/// knows without one.
[[nodiscard]] bool canHaveRule(const Operation& operation);
/// The rule in its usual form, without a frame and without ", custom". Errors, with the operation's place: BadRule,
/// BadFactor, RankMismatch; BadRule with wrong "none" for an operation that can have none.
[[nodiscard]] Result<std::string> checkedRule(const Program& program, OperationId operation, std::string_view text);
/// Gives the operation a rule that checkedRule() returned, as a custom one. Other attributes stay.
void attachRule(Program& program, OperationId operation, const std::string& rule);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What can be said about rules and a mesh without any array.
#pragma once

#include <string>
#include <vector>

#include "sharding/logical_rules.h"

namespace shardscope {

/// RuleUnknownAxis of a rule, counted from 0, that names an axis which is none of `known`.
[[nodiscard]] Diagnostic unknownAxis(
    std::size_t rule, const LogicalRule& named, const std::string& axis, const std::vector<std::string>& known);
/// All of them, by rule.
[[nodiscard]] std::vector<Diagnostic> unknownAxes(const LogicalRules& rules, const std::vector<std::string>& known);

} // namespace shardscope

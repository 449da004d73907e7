// SPDX-License-Identifier: GPL-3.0-or-later
// A sharding rule as somebody wrote it at an operation (`sdy.sharding_rule`), right or wrong.
//
//     #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=2, j=4, k=8} reduction={k}, custom>
//
// Factors are the letters i .. z, then z_1, z_2, ...; a dimension lists its factors, the major one first ("jk"), and a
// scalar has none ("[]").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/op_row.h"

namespace shardscope {

struct DeclaredRule {
    using Mapping = std::vector<std::vector<std::int32_t>>; ///< factors of every dimension
    std::vector<Mapping> operands, results;
    std::vector<std::int64_t> sizes; ///< by factor
    std::vector<std::int32_t> reduction, needReplication, permutation, blocked; ///< as they are listed
    bool custom = false;
    bool operator==(const DeclaredRule&) const = default;
};

/// The name under which operations keep a rule among their dictionaries.
inline constexpr std::string_view shardingRuleName = "sdy.sharding_rule";

/// With or without "#sdy.op_sharding_rule<...>" around it. Nothing for a text that is no rule.
[[nodiscard]] std::optional<DeclaredRule> parseDeclaredRule(std::string_view text);
/// The rule of a legal one. Listed factors that it does not have are left out.
[[nodiscard]] FactorRule toFactorRule(const DeclaredRule& rule);
/// The rule that stands at the operation, if any can be read.
[[nodiscard]] std::optional<DeclaredRule> declaredRule(const Program& program, const Operation& operation);
/// "i", "z", "z_1"
[[nodiscard]] std::string factorName(std::int32_t factor);

} // namespace shardscope

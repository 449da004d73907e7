// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of logical names and rules, beside parseRules() of text.h.
#pragma once

#include "sharding/literal.h"
#include "sharding/logical_rules.h"

namespace shardscope {

/// Dimensions of an array with names, at most.
inline constexpr std::size_t maximumNames = 16;

/// The names of an array's dimensions, as one types them, batch,embed,None, or as Python and JSON write them:
/// ('batch', None), AxisNames('batch', 'embed'), PartitionSpec('batch',). "-" stands for None; nothing at all, () and
/// [] for a scalar. Errors: Syntax and TooLarge with line and column.
[[nodiscard]] Result<LogicalNames> parseNames(std::string_view text);
/// A tuple or list that was read already. Names stand in quotes.
[[nodiscard]] Result<LogicalNames> toLogicalNames(const Literal& sequence);
/// Rules that were read already: a sequence of pairs, or a mapping. A rule of another length is kept and fails where it
/// is reached.
[[nodiscard]] Result<LogicalRules> toLogicalRules(const Literal& literal);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Rules as a mapping from names to mesh axes: Penzai's name_to_name_sharding as a reading of logical rules. Rules that
// are no sequence (LogicalRules::isSequence) are such a mapping; Flax refuses them.
//
//     names (a, b), rules a -> bar, b -> bar
//     Flax    P(bar, None): bar is in use when rule 2 comes
//     Penzai  AxisUsedTwice: a mapping has no order in which one name could win
#pragma once

#include "sharding/logical_rules.h"

namespace shardscope {

/// Every name takes the mesh axes that it is mapped to, all at once; a rule that says the same of a name a second time
/// does nothing. Of an array whose dimensions without names all come first, the spec lists the named ones alone, so
/// that their entries stand on the first dimensions: Penzai's own specs do. Errors: DuplicateDimension, RuleArity,
/// NestedTuple, RuleConflict where two rules of a name of the array differ, AxisUsedTwice within the array,
/// NonNamedLeaf for an array with dimensions and no name.
[[nodiscard]] Result<Resolution> resolveMapping(const LogicalNames& names, const LogicalRules& rules);

/// What the rules of an experiment make of names: resolve(), or resolveMapping() where they are a mapping.
[[nodiscard]] Result<Resolution> resolveRules(
    const LogicalNames& names, const LogicalRules& rules, FlaxVersion version);

/// A constraint on a value with these names: logicalConstraint(), or the mapping's spec. A mapping has no fallback.
[[nodiscard]] Result<ConstraintAction> constraintOf(
    const LogicalNames& names, const LogicalRules& rules, RulesFallback fallback, FlaxVersion version);

} // namespace shardscope

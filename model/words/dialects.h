// SPDX-License-Identifier: GPL-3.0-or-later
// The systems that read rules, and where two of them part, in words.
#pragma once

#include "rules/dialect_comparison.h"
#include "rules/t5x_partitioner.h"
#include "words/words.h"

namespace shardscope::words {

[[nodiscard]] QString systemName(const RuleSystem& system); ///< "Flax 2024", "MaxText current"
/// Rules that are a mapping: "Penzai", and what that means.
[[nodiscard]] QString mappingName();
[[nodiscard]] QString mappingEffect();
/// What the choice of that system changes, in one or two sentences.
[[nodiscard]] QString systemEffect(const RuleSystem& system);
/// "T5X' partitioner splits the batch along replica and data, into 8 parts." The parts where the mesh is known.
[[nodiscard]] QString batchAxes(const Partitioner& partitioner, const Mesh* mesh);
[[nodiscard]] QString fallbackName(RulesFallback fallback); ///< "unsharded"
[[nodiscard]] QString fallbackEffect(RulesFallback fallback);
[[nodiscard]] QString constraintMeshName(ConstraintMesh mesh); ///< "That of “with mesh:” around the step"

/// "MaxText's model annotates nothing with these names of rules: batch, embed. Its own are those of …"
[[nodiscard]] QString namesUnknownToMaxText(const std::vector<std::string>& names);

/// "Rule 2 fires in Flax 2024; in Flax current dimension 0 has no name, and this version leaves it alone." Empty where
/// the array has no step at which they part.
[[nodiscard]] Text differingStep(const ArrayInDialects& compared, const NamedShape& array, const LogicalRules& rules,
    const RuleSystem& first, const RuleSystem& second);

/// "Elsewhere: Flax 2024 P(X, -); the same in T5X current": what systems that differ in one thing make of the same
/// names and rules, other versions of Flax or other dialects.
[[nodiscard]] QString elsewhere(
    const RuleSystem& own, const NamedShape& array, const LogicalRules& rules, const Mesh& mesh);

} // namespace shardscope::words

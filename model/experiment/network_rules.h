// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that go with a transformer: whose names its arrays have, and which rules it begins with.
//
//     defaultRules(axes "data", "model")            t5x-a2p2
//     defaultRules(axes "data", "fsdp", "tensor")   maxtext-base-2026-08
//     defaultRules(axes "x")                        null: no published mesh has such an axis
#pragma once

#include <optional>
#include <span>
#include <string>

#include "experiment/experiment.h"
#include "rules/published_rules.h"

namespace shardscope {

/// Whose names rules speak of: MaxText's where they are in its dialect, those before April 2026 where they lack the
/// names that came then ("embed_vocab", "mlp_moe").
[[nodiscard]] AxisNames axisNamesOf(const LogicalRules& rules, Dialect dialect);

/// What a network has where nobody gives it rules: of T5X' sets t5x-a2p2 and t5x-moe and of MaxText's base.yml the
/// first one whose mesh has all of these axes. `names`: of those with such names alone. Null where there is none.
[[nodiscard]] const PublishedRules* defaultRules(
    std::span<const MeshAxis> mesh, std::optional<AxisNames> names = std::nullopt);
/// Published rules as an experiment binds them.
[[nodiscard]] RulesSetting boundRules(const PublishedRules& set);

/// A train step with Adam on as many devices as the mesh needs. The names of its arrays are those that the rules speak
/// of, or `names`. Errors: those of withAxisAdded(). `published`: the set that the rules are; then axes that they name
/// and the mesh lacks are added with size 1, as that project's own meshes have them, MaxText's in its order.
[[nodiscard]] Result<Experiment> networkExperiment(const TransformerSettings& settings, std::string title,
    MeshSetting mesh, RulesSetting rules, std::optional<AxisNames> names = std::nullopt,
    const PublishedRules* published = nullptr);

} // namespace shardscope

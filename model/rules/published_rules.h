// SPDX-License-Identifier: GPL-3.0-or-later
// Rule sets of real projects, as they stood in their sources (resources/rule_sets/), and T5X' standard ones.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh.h"
#include "rules/dialect.h"
#include "sharding/logical_rules.h"

namespace shardscope {

struct PublishedRules {
    std::string id; ///< "maxtext-base-2026-08", "t5x-a1p2" (activations over 1, parameters over 2 dimensions)
    std::string project; ///< "MaxText"
    std::string title; ///< "base.yml, August 2026"
    std::string source; ///< repository, file and revision
    std::string note; ///< may be empty
    std::string overrides; ///< id of the set that these rules are meant to be merged over; may be empty
    Dialect dialect = Dialect::FlaxLinen;
    std::vector<std::string> meshAxes; ///< of the project's mesh, in its order
    LogicalRules rules;
};

/// The rules of MaxText's base.yml as it is today; sets of older ones have names that are gone.
inline constexpr std::string_view currentMaxTextRules = "maxtext-base-2026-08";

/// All of them, T5X first, then as in their files. Read once.
[[nodiscard]] const std::vector<PublishedRules>& publishedRules();
/// Null if there is none of that id.
[[nodiscard]] const PublishedRules* findPublishedRules(std::string_view id);

/// The mesh that MaxText makes of some sizes: all axes that its configuration declares, in its order, of size 1 where
/// none is given, and then those that it does not know. Axes that name all of these keep the order in which they stand.
///     fsdp 8 of declared data, stage, fsdp, tensor: data 1, stage 1, fsdp 8, tensor 1
[[nodiscard]] std::vector<MeshAxis> withDeclaredAxes(
    std::span<const MeshAxis> axes, std::span<const std::string> declared);

/// One file of rule sets: a JSON list of objects with id, project, title, source, mesh_axes, rules, and perhaps note
/// and overrides. Errors: Syntax, MissingKey, WrongType, UnknownValue, with line and column.
[[nodiscard]] Result<std::vector<PublishedRules>> readPublishedRules(std::string_view text);

namespace resources {
/// The texts of the files, compiled in.
[[nodiscard]] std::vector<std::string_view> ruleSetFiles();
} // namespace resources

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Between the values of the reference files and ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/checker.h"
#include "sharding/logical_rules.h"
#include "sharding/named_sharding.h"

namespace shardscope::conformance {

[[nodiscard]] Shape toShape(const Json& json);
/// Of a list, of lists in it and so on, in their order.
[[nodiscard]] std::vector<double> numbersIn(const Json& json);
/// An entry per dimension: null | axis | list of axes | {"special": "UNCONSTRAINED"}. A list inside a list is refused
/// with NestedTuple, as JAX refuses it.
[[nodiscard]] Result<PartitionSpec> toSpec(const Json& json);
/// [[begin, end], …]
[[nodiscard]] Json rangesJson(const std::vector<IndexRange>& ranges);
[[nodiscard]] Json toJson(const SpecEntry& entry);
[[nodiscard]] Json toJson(const PartitionSpec& spec);
/// The form of rules and MaxText's states: a list of axes per dimension, null for one that is not sharded.
[[nodiscard]] Json listsJson(const PartitionSpec& spec, std::size_t rank);

/// From `axis_names`, and `mesh_shape` or `shape`, and `device_ids` where present.
[[nodiscard]] Result<Mesh> toMesh(const Json& json);

/// null, or a list of name | null | {"special": "UNCONSTRAINED"}.
[[nodiscard]] std::optional<LogicalNames> toNames(const Json& json);
/// null, a list of rules, or {"dict": {name: target}}.
[[nodiscard]] LogicalRules toRules(const Json& json);
[[nodiscard]] Json toJson(const LogicalRules& rules);

/// The error as `expected` writes it: its kind alone, or an object with the members that stand there.
[[nodiscard]] Json errorLike(const Json& expected, const Error& error);
/// Its kind and its arguments: "DuplicateAxis axis=x".
[[nodiscard]] std::string lineOf(const Diagnostic& found);
/// An error where results are expected, or results where an error is.
[[nodiscard]] CaseResult unexpectedError(const Error& error);

} // namespace shardscope::conformance

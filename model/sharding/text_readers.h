// SPDX-License-Identifier: GPL-3.0-or-later
// The readers of text forms that stand inside other text forms. All leave the tokens after what they read.
#pragma once

#include <string_view>
#include <vector>

#include "sharding/hlo_sharding.h"
#include "sharding/literal.h"
#include "sharding/memory_kind.h"
#include "sharding/partition_spec.h"

namespace shardscope {

/// Steps over a name and the opening parenthesis after it: "Mesh(", "jax.sharding.PartitionSpec(". Only the last part
/// of a dotted name counts. Nothing is taken where something else stands.
[[nodiscard]] bool openCall(Tokens& tokens, std::string_view name);

/// Steps over a keyword and its equals sign: "spec=". Nothing is taken where something else stands.
bool takeKeyword(Tokens& tokens, std::string_view word);

/// What stands between the parentheses of Mesh(...), up to and including the closing one:
///     'x': 2, 'y': 4                              as JAX prints a mesh
///     axis_sizes=(2, 4), axis_names=('x', 'y')    as newer JAX prints it
///     device_ids=array([[0, 1]]), axis_names=...  as older JAX shows it
/// Axis types are read and left out.
[[nodiscard]] Result<Mesh> readMeshArguments(Tokens& tokens);

/// The entries of a spec up to `close`, which is taken, or up to the end of the text where it is 0.
[[nodiscard]] Result<PartitionSpec> readSpecEntries(Tokens& tokens, char close);

/// HLO text between braces. The tokens are those of MLIR.
[[nodiscard]] Result<HloSharding> readHlo(Tokens& tokens);

/// "memory_kind" has been read: "=device".
[[nodiscard]] Result<MemoryKind> readMemoryKind(Tokens& tokens);

/// A list of whole numbers between brackets, nested in any way: [[0, 1], [2, 3]]. In the order in which they stand.
[[nodiscard]] Result<std::vector<std::int64_t>> readNumbers(const Literal& list);

} // namespace shardscope

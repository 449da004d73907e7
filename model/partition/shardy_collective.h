// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's collectives in a program as the collectives that reports and plans speak of.
#pragma once

#include <optional>

#include "partition/collective.h"
#include "program/other_attributes.h"

namespace shardscope {

/// Of SdyAllReduce, SdyAllGather, SdyReduceScatter, SdyAllToAll, SdyCollectivePermute and SdyAllSlice; nothing for
/// other operations.
[[nodiscard]] std::optional<CollectiveKind> shardyCollectiveKind(OpKind kind);

/// Kind, reduction and dimensions as they are written; the axes of a collective_permute are not: see permutedAxes().
/// `sentBytes` is left at 0.
[[nodiscard]] Collective collectiveOf(const SdyCollectiveAttributes& attributes, CollectiveKind kind);
/// The axes along which a collective_permute moves data, over one mesh.
[[nodiscard]] AxisList permutedAxes(const TensorSharding& before, const TensorSharding& after, const Mesh& mesh);
/// Ring model: bytes that one device sends, whose shard of the operand has `localBytes`. An all_to_all between several
/// pairs of dimensions is one exchange for each.
[[nodiscard]] Rational sentBytes(
    const SdyCollectiveAttributes& attributes, const Collective& collective, std::int64_t localBytes);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of axis parts, one per dimension of an array, as the reshard search works on them.
#pragma once

#include <span>
#include <vector>

#include "mesh/axis_ref.h"
#include "sharding/tensor_sharding.h"

namespace shardscope::reshard {

using Lists = std::vector<AxisList>;

[[nodiscard]] bool has(std::span<const AxisRef> list, AxisRef ref);
[[nodiscard]] bool hasAnywhere(const Lists& lists, AxisRef ref);
/// Neighbours that are parts of one axis as one part.
[[nodiscard]] AxisList merged(std::span<const AxisRef> list);
/// Without parts of size 1.
[[nodiscard]] Lists listsOf(const TensorSharding& sharding);
/// Splits every part at all borders that parts of the same axis have anywhere, so that overlapping parts become equal.
/// False where the boundaries do not divide each other (x:(1)2 against x:(1)3 of an axis of size 6).
[[nodiscard]] bool align(Lists& a, Lists& b, std::size_t meshRank);
/// Takes a major part of `size` off the front of a reference; the rest stays in it.
AxisRef takePrefix(AxisRef& ref, std::int64_t size);

} // namespace shardscope::reshard

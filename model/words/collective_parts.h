// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of sentences about collectives: arrays, their dimensions and how they are sharded.
#pragma once

#include "pipeline/collective_list.h"
#include "words/sentence.h"

namespace shardscope::words {

/// Its own name with a link to it, "%12" for one that has a number, "the constant 1" for a number that it is; "a value"
/// where it has none.
/// A value without a name goes by the array that it is a part of, if there is one: "part of params/kernel".
[[nodiscard]] Sentence::Part valuePart(const Program& program, ValueId value, ValueId partOf = {});
/// "P(data, -)" on the mesh of the collective.
[[nodiscard]] Sentence::Part shardingPart(const TensorSharding& sharding, const CollectiveEntry& entry);
/// "hidden"; "dimension 1" where it has no name.
[[nodiscard]] QString dimensionNameOf(const Program& program, ValueId value, std::size_t dimension);

} // namespace shardscope::words

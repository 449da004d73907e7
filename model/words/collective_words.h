// SPDX-License-Identifier: GPL-3.0-or-later
// Why a collective is there, what it costs, and what could stand in its place.
#pragma once

#include "analysis/collective_alternatives.h"
#include "pipeline/collective_list.h"
#include "words/words.h"

namespace shardscope::words {

/// For a column: "sum" ("maximum", "and": what partial values are combined by), "operand", "result", "constraint",
/// "returned", "unfinished sum", "boundary", "call", "single device"; "the program" where that has it itself.
[[nodiscard]] QString causeName(const CollectiveEntry& entry);
/// "sum", "maximum", "minimum", "product", "and", "or".
[[nodiscard]] QString reductionName(ReduceKind kind);
/// "partial sums, 4 addends"; "partial maxima, 4 values".
[[nodiscard]] QString partsOf(ReduceKind kind, std::int64_t parts);
/// "2 groups of 4"; of a collective-permute "6 pairs".
[[nodiscard]] QString groupCounts(const CollectiveEntry& entry);
/// "[0, 1, 2, 3], [4, 5, 6, 7]"; of more devices than `most` the first groups, and "…". Of a
/// collective-permute who sends to whom: "0 → 2, 2 → 4".
[[nodiscard]] QString groupList(const CollectiveEntry& entry, std::size_t most = 64);
/// "P(data, -)", with what is still to be added up: "P(data, -), partial along model".
[[nodiscard]] QString shardingForm(const TensorSharding& sharding, const Mesh& mesh);

/// What is exchanged: `named`, which is the entry's value or another name for it, or what that is a part of: "part of
/// params / layers / wo".
[[nodiscard]] QString exchangedName(const CollectiveList& list, const CollectiveEntry& entry, ValueId named);
/// "Collective 1: all-reduce of Layer 0 / z along model".
[[nodiscard]] QString collectiveTitle(const CollectiveList& list, std::size_t index);
/// "Layer 0 / y and Layer 0 / W2 are both sharded on hidden, which is summed away in dot_general: the 4 devices along
/// model must add their partial values."
[[nodiscard]] Text collectiveCause(const CollectiveList& list, const CollectiveEntry& entry);
/// "Each device sends 2 × 3/4 × 16 KiB = 24 KiB, 7 times per step: 168 KiB."
[[nodiscard]] Text collectiveCost(const CollectiveEntry& entry);

/// "1 all-slice sends nothing", "6 all-slices send nothing": they are no exchange, and are counted apart.
[[nodiscard]] QString slicesCounted(std::int64_t slices);
/// Where there is nothing but to keep it.
[[nodiscard]] QString noAlternative();
/// "keep", "reduce-scatter", ...: a few words for a column or a button.
[[nodiscard]] QString alternativeName(CollectiveAlternative::Kind kind);
/// "Hold Layer 0 / W2 as P(-, -), so that nothing is left to add up: 12 KiB are sent in its place, and every device
/// holds 3 MiB more."
[[nodiscard]] Text alternativeText(
    const CollectiveList& list, const CollectiveEntry& entry, const CollectiveAlternative& alternative);

} // namespace shardscope::words

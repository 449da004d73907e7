// SPDX-License-Identifier: GPL-3.0-or-later
// Names and short sentences about collectives, as this dock writes them.
#pragma once

#include "pipeline/collective_list.h"
#include "words/words.h"

namespace shardscope {

/// "data, model"
[[nodiscard]] QString axesText(const Mesh& mesh, const AxisList& axes);
/// The same as spans, each axis in its colour.
[[nodiscard]] words::Text axesSpans(const Mesh& mesh, const AxisList& axes);
/// What a key of sums() is called: "all-reduce", "data, model", "Layer 0"; "groups of ids", "no layer" for an empty
/// one. `entry` is any that has it.
[[nodiscard]] QString keyName(const CollectiveEntry& entry, CollectiveKey key);
/// "2 × 4": groups, devices of each.
[[nodiscard]] QString groupsText(const CollectiveEntry& entry);
/// "2 groups of 4: {0, 1, 2, 3} and {4, 5, 6, 7}"; of many groups the first ones.
[[nodiscard]] QString groupsSentence(const CollectiveEntry& entry);
/// "× 12"; with a question mark where nobody can tell.
[[nodiscard]] QString timesText(const CollectiveEntry& entry);
/// What one device sends, as a calculation: "2 × 3/4 × 16 KiB = 24 KiB, 3 times per step: 72 KiB".
[[nodiscard]] QString sentSentence(const CollectiveEntry& entry);
/// "all-reduce for Layer 2 / z"
[[nodiscard]] QString titleText(const CollectiveList& list, std::size_t index);
/// Why it is there, in a sentence or two.
[[nodiscard]] words::Text whyText(const CollectiveList& list, std::size_t index);
/// "Reduce-scatter: every device keeps a piece of z"
[[nodiscard]] words::Text alternativeText(
    const CollectiveList& list, std::size_t index, const CollectiveAlternative& alternative);
/// The value's name; that of the operation behind it where it has none.
[[nodiscard]] QString tensorText(const CollectiveList& list, const CollectiveEntry& entry);
/// "f32[8@data, 1024]": cut sizes with their axes, in the colour of the first one.
[[nodiscard]] words::Text arraySpans(const TensorType& type, const TensorSharding& sharding, const Mesh& mesh);
/// "partial sums over model, 4 addends, 16 KiB per device"; "cut 4 ways, 2 copies, 1 MiB per device".
[[nodiscard]] QString holdingText(const TensorType& type, const Layout& layout);
/// "16 collectives, 8.16 MiB per step"
[[nodiscard]] QString totalText(std::int64_t collectives, Rational sent);

} // namespace shardscope

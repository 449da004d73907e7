// SPDX-License-Identifier: GPL-3.0-or-later
// Names and short sentences about collectives, as lists and pictures of them have them.
#pragma once

#include "analysis/collective_alternatives.h"
#include "pipeline/collective_list.h"
#include "pipeline/exchange_subject.h"
#include "pipeline/snapshot.h"
#include "words/words.h"

namespace shardscope::words {

[[nodiscard]] QStringList namesOf(const Mesh& mesh, const AxisList& axes);
/// "data, model"
[[nodiscard]] QString axesText(const Mesh& mesh, const AxisList& axes);
/// The same as spans, each axis in its colour.
[[nodiscard]] Text axesSpans(const Mesh& mesh, const AxisList& axes);
/// What a key of sums() is called: "data, model", "Layer 0"; "no layer" for an empty one. `entry` is any that has it.
[[nodiscard]] QString keyName(const CollectiveEntry& entry, CollectiveKey key);
/// "2 × 4": groups, devices of each.
[[nodiscard]] QString groupsText(const CollectiveEntry& entry);
/// "× 12"; with a question mark where nobody can tell.
[[nodiscard]] QString timesText(const CollectiveEntry& entry);
/// "all-reduce over model, 2 groups of 4", the axes in their colours; with `groups` also who is in them.
[[nodiscard]] Text exchangeSpans(const CollectiveEntry& entry, bool groups);
/// In a few words: "another sharding: W2 as P(-, -)". `named`: by whose name `value` goes, the collective's own.
[[nodiscard]] QString alternativeTitle(
    const CollectiveList& list, const CollectiveAlternative& alternative, ValueId value, ValueId named);
/// Per value of the program the one whose name it goes by: a constraint that only hands it on may have one.
[[nodiscard]] std::vector<ValueId> namedForms(const Program& program);
/// "f32[8@data, 1024]": sharded sizes with their axes, in the colour of the first one.
[[nodiscard]] Text arraySpans(const TensorType& type, const TensorSharding& sharding, const Mesh& mesh);
/// "partial sums, 4 addends, sharded 2 ways, 16 KiB per device"; "in each group 4 copies, 1 MiB per device"; of a
/// permute in a manual computation "an array per device, 512 B".
[[nodiscard]] QString holdingText(const ExchangeSubject& subject, const Layout& layout, const CollectiveEntry& entry);
/// As shardingForm(); "an array per device" of a permute in a manual computation.
[[nodiscard]] QString exchangedForm(const ExchangeSubject& subject, const TensorSharding& sharding);
/// Entries by which devices send each other something.
[[nodiscard]] std::int64_t exchangesIn(const CollectiveList& list);
/// Of all in the list: "4 collectives, 864 B per step; 6 all-slices send nothing".
[[nodiscard]] QString totalText(const CollectiveList& list, Rational sent);
/// "16 collectives, 8.16 MiB per step"
[[nodiscard]] QString totalText(std::int64_t collectives, Rational sent);

/// Who asked for the sharding along which a collective runs: "rule 2  hidden → model", with a link to the rule; "an
/// annotation, x"; empty where nobody asked, or nobody knows. Of an operation that sums a sharded dimension away it is
/// who sharded its operands, else who sharded the value itself.
[[nodiscard]] Text ruleAfter(const CollectiveList& list, const CollectiveEntry& entry, const Snapshot& snapshot);

} // namespace shardscope::words

// SPDX-License-Identifier: GPL-3.0-or-later
// What the collectives of a program that XLA compiled send, and their sums: by kind, by the groups that exchange, by
// where they come from.
//
//     an all-gather of 64 bytes in groups of 4, 32 times in a step: 3 x 64 bytes per device each time, 6144 in a step
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "hlo/collectives.h"
#include "partition/collective.h"

namespace shardscope {

/// The collective whose exchange on a ring is the same.
[[nodiscard]] CollectiveKind ringKind(HloCollectiveKind kind);
/// Ring model: bytes that one device sends, once.
[[nodiscard]] Rational sentBytes(const HloCollective& collective);
/// Likewise, in a step; what runs nobody knows how often counts once.
[[nodiscard]] Rational sentPerStep(const HloCollective& collective);
/// Per collective: whether sums count it; of the branches of a conditional those of that which sends most.
[[nodiscard]] std::vector<bool> countedInSums(const HloCollectives& collectives);
/// Every device sends in each of the collectives that send anything; a permutation leaves out those without a pair, and
/// those that keep what they have, a broadcast the last ones, and a branch may not be taken.
[[nodiscard]] bool allSend(const HloCollectives& collectives);
/// The groups as the text has them, of devices where it numbers replicas or partitions; "pairs" of a
/// collective-permute.
[[nodiscard]] std::string groupsText(const HloModule& module, const HloCollective& collective);

enum class CompiledKey : std::uint8_t {
    Kind,
    Groups, ///< kind, groups and reduction
    Cause, ///< the operation's name
    Source, ///< file and line
};

struct CompiledSum {
    std::string key; ///< "all-gather", "jit(step)/layers/dot_general", "train.py:38"; empty where the text says nothing
    const HloCollective* first = nullptr; ///< of those that are summed, in the order of the text
    std::int64_t collectives = 0;
    std::int64_t slicedRightAfter = 0; ///< of them
    std::optional<std::int64_t> executions; ///< nothing where those of one of them are not known
    // Per device and step; a collective whose executions are not known counts once, and `isExact` is not set. Of the
    // branches of a conditional that which sends most.
    std::int64_t bytesIn = 0, bytesOut = 0;
    Rational sent;
    bool isExact = true;
};
/// In the order in which their first collectives stand in the text. The module and the list have to stay.
[[nodiscard]] std::vector<CompiledSum> sums(
    const HloModule& module, const HloCollectives& collectives, CompiledKey key);

} // namespace shardscope

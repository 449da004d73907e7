// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings that are repeated: ten thousand rules that nothing uses are one line.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

/// So many warnings or notes that say the same of different things are listed one by one.
inline constexpr std::size_t maximumAlike = 10;

/// Which of them say the same (code, file, kinds of arguments, and why), where these are more than maximumAlike; each
/// group in order. Errors are never in a group.
[[nodiscard]] std::vector<std::vector<std::size_t>> alike(std::span<const Diagnostic* const> list);
/// The first of a group, for all of them: with the arguments `alike`, how many they are, and `alike_names`, what the
/// next few are about.
[[nodiscard]] Diagnostic forAll(std::span<const Diagnostic* const> list, std::span<const std::size_t> group);

/// Each group of what has diagnostics as its first, with the one for all; take(first, other) is called for the others.
template <class Item, class DiagnosticOf, class Take> // Diagnostic&(Item&), void(Item&, const Item&)
[[nodiscard]] std::vector<Item> summedUp(std::vector<Item> list, const DiagnosticOf& diagnosticOf, const Take& take)
{
    std::vector<const Diagnostic*> all;
    for (Item& item : list)
        all.push_back(&diagnosticOf(item));
    const std::vector<std::vector<std::size_t>> groups = alike(all);
    std::vector<Diagnostic> sums;
    for (const std::vector<std::size_t>& group : groups)
        sums.push_back(forAll(all, group));
    std::vector<bool> superfluous(list.size(), false);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        Item& first = list[groups[g].front()];
        diagnosticOf(first) = std::move(sums[g]);
        for (const std::size_t index : std::span(groups[g]).subspan(1)) {
            superfluous[index] = true;
            take(first, list[index]);
        }
    }
    std::vector<Item> rest;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (!superfluous[i])
            rest.push_back(std::move(list[i]));
    return rest;
}
[[nodiscard]] std::vector<Diagnostic> summedUp(std::vector<Diagnostic> list);
/// Counts `more` findings of a code that a reader came upon but did not keep: in the last one of that code, which then
/// stands for them too. Nothing where the list has none of that code.
void countMore(std::vector<Diagnostic>& list, Code code, std::size_t more);

} // namespace shardscope

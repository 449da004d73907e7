// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/taken_branches.h"

#include <cstddef>
#include <map>

namespace shardscope {

namespace {

/// What the entries numbered in `of` send, which stand in the same branches down to `depth`. Others are taken out of
/// the sums.
Rational maximumSent(const std::vector<SentInBranch>& entries, const std::vector<std::size_t>& of, std::size_t depth,
    std::vector<bool>& counted)
{
    Rational sent;
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::size_t>>> conditionals;
    for (const std::size_t i : of) {
        const BranchPath& path = entries[i].branches;
        if (path.size() <= depth)
            sent += entries[i].sent;
        else
            conditionals[path[depth].conditional][path[depth].number].push_back(i);
    }
    for (const auto& [conditional, branches] : conditionals) {
        Rational maximum;
        const std::vector<std::size_t>* chosen = nullptr;
        for (const auto& [number, members] : branches)
            if (const Rational one = maximumSent(entries, members, depth + 1, counted); !chosen || maximum < one) {
                maximum = one;
                chosen = &members;
            }
        for (const auto& [number, members] : branches)
            if (&members != chosen)
                for (const std::size_t i : members)
                    counted[i] = false;
        sent += maximum;
    }
    return sent;
}

} // namespace

std::vector<bool> countedInBranches(const std::vector<SentInBranch>& entries)
{
    std::vector<bool> counted(entries.size(), true);
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (!entries[i].branches.empty())
            all.push_back(i);
    (void)maximumSent(entries, all, 0, counted);
    return counted;
}

} // namespace shardscope

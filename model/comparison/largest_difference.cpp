// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison/largest_difference.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace shardscope {

namespace {

LargestDifference::By decidedBy(const SnapshotComparison& comparison)
{
    using By = LargestDifference::By;
    const auto differs = [&](std::string_view section) {
        return std::any_of(comparison.inputs.begin(), comparison.inputs.end(),
            [&](const SettingDifference& each) { return each.pointer.starts_with(section); });
    };
    if (differs("/mesh/axes"))
        return By::Mesh;
    if (differs("/rules"))
        return By::Rules;
    if (differs("/model") || differs("/step"))
        return By::Model;
    return comparison.inputs.empty() ? By::None : By::Other;
}

/// Into how many parts an array is sharded: 4 of 8 MiB of which a device holds 2 MiB. Absent where they are unequal.
std::optional<std::int64_t> waysOf(const TensorRow& row)
{
    if (row.bytesPerDevice <= 0 || row.bytesInAll % row.bytesPerDevice != 0)
        return std::nullopt;
    return row.bytesInAll / row.bytesPerDevice;
}

bool isOfState(Role role)
{
    return role == Role::Parameter || role == Role::Gradient || isOptimizerArray(role);
}

/// What all its arrays have in common that differ.
void addWays(LargestDifference& largest, const SnapshotComparison& comparison)
{
    bool alike = true;
    std::int64_t before = 0, after = 0;
    const auto meet = [&alike](std::optional<std::int64_t>& common, std::optional<std::int64_t> ways) {
        alike = alike && ways && (!common || common == ways);
        common = ways;
    };
    for (const ComparedArray& array : comparison.arrays) {
        const bool counts =
            largest.what == LargestDifference::What::State ? isOfState(array.role) : array.role == largest.role;
        if (!counts)
            continue;
        if (array.before) {
            const TensorRow& row = comparison.before->tensors[*array.before];
            before = saturatingSum(before, row.bytesInAll);
            meet(largest.waysBefore, waysOf(row));
        }
        if (array.after) {
            const TensorRow& row = comparison.after->tensors[*array.after];
            after = saturatingSum(after, row.bytesInAll);
            meet(largest.waysAfter, waysOf(row));
        }
    }
    if (!alike || !largest.waysBefore || !largest.waysAfter || largest.waysBefore == largest.waysAfter)
        largest.waysBefore = largest.waysAfter = std::nullopt;
    if (before != after) {
        largest.inAllBefore = before;
        largest.inAllAfter = after;
    }
}

} // namespace

LargestDifference largestDifference(const SnapshotComparison& comparison)
{
    LargestDifference largest;
    using What = LargestDifference::What;
    const auto offer = [&](LargestDifference candidate) {
        if (std::abs(candidate.after - candidate.before) > std::abs(largest.after - largest.before))
            largest = std::move(candidate);
    };
    const auto made = [](What what, double before, double after) {
        LargestDifference candidate;
        candidate.what = what;
        candidate.before = before;
        candidate.after = after;
        return candidate;
    };
    const auto amount = [](std::int64_t bytes) { return static_cast<double>(bytes); };
    std::size_t differing = 0;
    for (const ComparedRole& held : comparison.held) {
        if (held.bytesBefore == held.bytesAfter)
            continue;
        ++differing;
        LargestDifference candidate = made(What::Role, amount(held.bytesBefore), amount(held.bytesAfter));
        candidate.role = held.role;
        offer(std::move(candidate));
    }
    if (differing > 1)
        offer(made(What::State, amount(comparison.stateBefore), amount(comparison.stateAfter)));
    for (const ComparedOwner& held : comparison.peak) {
        if (held.owner != Owner::Activations && held.owner != Owner::Buffers)
            continue; // by their roles already
        LargestDifference candidate = made(What::Owner, amount(held.bytesBefore), amount(held.bytesAfter));
        candidate.owner = held.owner;
        offer(std::move(candidate));
    }
    for (const ComparedAxes& sent : comparison.sent) {
        LargestDifference candidate = made(What::Sent, sent.sentBefore.value(), sent.sentAfter.value());
        candidate.axes = sent.axes;
        offer(std::move(candidate));
    }
    largest.by = decidedBy(comparison);
    if (largest.what == What::State || largest.what == What::Role)
        addWays(largest, comparison);
    if (largest.what == What::Sent)
        for (std::size_t i = 0; i < comparison.collectives.size() && !largest.collectives; ++i)
            if (comparison.collectives[i].axes == largest.axes) // the largest difference comes first
                largest.collectives = i;
    return largest;
}

} // namespace shardscope

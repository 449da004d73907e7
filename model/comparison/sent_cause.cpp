// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison/sent_cause.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "program/types.h"

namespace shardscope {

namespace {

/// What is sent by some collectives on one side.
struct SentBySome {
    std::int64_t times = 0, group = 0;
    double sent = 0; ///< per step
    double each = 0; ///< where it is the same each time
    bool isEven = true;

    void add(const CollectiveEntry& entry)
    {
        const double bytes = entry.sentBytes.value();
        if (times == 0) {
            each = bytes;
            group = entry.groupSize;
        }
        isEven = isEven && each == bytes;
        group = group == entry.groupSize ? group : 0;
        times = saturatingSum(times, entry.times);
        sent += bytes * static_cast<double>(entry.times);
    }
    [[nodiscard]] double mean() const { return times > 0 ? sent / static_cast<double>(times) : 0; }
};

struct SentOfArray {
    SentBySome before, after;
    std::size_t example = 0;
};

/// Empty where the array has no name.
std::string arrayNameOf(const CollectiveList& list, const CollectiveEntry& entry)
{
    const std::string path(list.program->value(entry.value).path);
    return path.empty() && entry.partOf.valid() ? "part of " + std::string(list.program->value(entry.partOf).path)
                                                : path;
}

/// Of what is gathered or added up, the share that a device sends; 0 where that is no matter of the devices alone.
double shareOf(CollectiveKind kind, std::int64_t group)
{
    const double part = static_cast<double>(group - 1) / static_cast<double>(group);
    switch (kind) {
    case CollectiveKind::AllReduce:
        return 2 * part;
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
        return part;
    default:
        return 0;
    }
}

bool isByGroup(CollectiveKind kind, const SentBySome& before, const SentBySome& after)
{
    if (before.group <= 1 || after.group <= 1 || before.group == after.group || shareOf(kind, 2) == 0)
        return false;
    const double all = std::log(after.mean() / before.mean());
    const double byGroup = std::log(shareOf(kind, after.group) / shareOf(kind, before.group));
    return all != 0 && byGroup / all >= 0.5 && byGroup / all <= 2;
}

/// The arrays that send most of the difference, all of them the same bytes each time.
bool isByArrays(SentCause& cause, double difference, const std::map<std::string, SentOfArray>& arrays)
{
    struct Alike {
        double difference = 0;
        std::int64_t arrays = 0;
        std::size_t example = 0;
    };
    std::map<std::pair<double, double>, Alike> groups;
    for (const auto& [name, array] : arrays) {
        const SentBySome &before = array.before, &after = array.after;
        const bool counts = before.times > 0 && after.times > 0 && before.isEven && after.isEven
            && (after.each - before.each) * difference > 0 && (after.sent - before.sent) * difference > 0;
        if (!counts)
            continue;
        Alike& alike = groups[{ before.each, after.each }];
        if (alike.arrays++ == 0 || array.example < alike.example)
            alike.example = array.example;
        alike.difference += after.sent - before.sent;
    }
    double most = std::abs(difference) / 2;
    bool isFound = false;
    for (const auto& [each, alike] : groups) {
        if (std::abs(alike.difference) < most)
            continue;
        most = std::abs(alike.difference);
        isFound = true;
        cause.eachBefore = each.first;
        cause.eachAfter = each.second;
        cause.example = alike.example;
        cause.others = alike.arrays - 1;
    }
    return isFound;
}

} // namespace

std::optional<SentCause> sentCause(const CollectiveList& before, const std::vector<std::size_t>& entriesBefore,
    const CollectiveList& after, const std::vector<std::size_t>& entriesAfter)
{
    SentBySome old, now;
    std::map<std::string, SentOfArray> arrays;
    SentCause cause;
    const auto add = [&](const CollectiveList& list, const std::vector<std::size_t>& entries, bool isAfter) {
        for (const std::size_t i : entries) {
            const CollectiveEntry& entry = list.entries[i];
            cause.kind = entry.kind;
            (isAfter ? now : old).add(entry);
            const std::string name = arrayNameOf(list, entry);
            if (name.empty())
                continue;
            SentOfArray& array = arrays[name];
            if (isAfter && array.after.times == 0)
                array.example = i;
            (isAfter ? array.after : array.before).add(entry);
        }
    };
    add(before, entriesBefore, false);
    add(after, entriesAfter, true);
    const double difference = now.sent - old.sent;
    if (difference == 0)
        return std::nullopt;
    cause.timesBefore = old.times;
    cause.timesAfter = now.times;
    cause.groupBefore = old.group;
    cause.groupAfter = now.group;
    cause.eachBefore = old.mean();
    cause.eachAfter = now.mean();
    const double byTimes = static_cast<double>(now.times - old.times) * old.mean();
    if (old.times == 0 || now.times == 0 || byTimes / difference >= 0.5)
        cause.what = SentCause::What::Times;
    else if (isByGroup(cause.kind, old, now))
        cause.what = SentCause::What::Group;
    else if (isByArrays(cause, difference, arrays))
        cause.what = SentCause::What::Array;
    return cause;
}

} // namespace shardscope

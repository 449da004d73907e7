// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compiled_program.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"

namespace shardscope {

namespace {

std::string sumKey(const HloModule& module, const HloCollective& collective, CompiledKey key)
{
    const HloPlace& place = collective.metadata.place;
    switch (key) {
    case CompiledKey::Kind:
        return std::string(name(collective.kind));
    case CompiledKey::Groups:
        return std::string(name(collective.kind)) + ' ' + groupsText(module, collective)
            + (collective.reduction.empty() ? std::string() : ' ' + std::string(collective.reduction));
    case CompiledKey::Cause:
        return collective.metadata.opName;
    case CompiledKey::Source:
        return place.file.empty() ? std::string() : std::string(place.file) + ':' + std::to_string(place.line);
    }
    return {};
}

} // namespace

CollectiveKind ringKind(HloCollectiveKind kind)
{
    switch (kind) {
    case HloCollectiveKind::AllReduce:
        return CollectiveKind::AllReduce;
    case HloCollectiveKind::AllGather:
        return CollectiveKind::AllGather;
    case HloCollectiveKind::ReduceScatter:
        return CollectiveKind::ReduceScatter;
    case HloCollectiveKind::AllToAll:
    case HloCollectiveKind::RaggedAllToAll:
        return CollectiveKind::AllToAll;
    case HloCollectiveKind::CollectiveBroadcast:
        return CollectiveKind::CollectiveBroadcast;
    case HloCollectiveKind::CollectivePermute:
        break;
    }
    return CollectiveKind::CollectivePermute;
}

Rational sentBytes(const HloCollective& collective)
{
    const std::int64_t size = collective.kind == HloCollectiveKind::CollectivePermute ? 2 : collective.groups.size();
    return ringBytes(ringKind(collective.kind), size, collective.bytesIn);
}

Rational sentPerStep(const HloCollective& collective)
{
    return sentBytes(collective) * Rational(collective.executions.value_or(1));
}

std::vector<bool> countedInSums(const HloCollectives& collectives)
{
    std::vector<SentInBranch> sent;
    for (const HloCollective& collective : collectives.list)
        sent.push_back({ collective.branches, sentPerStep(collective) });
    return countedInBranches(sent);
}

bool allSend(const HloCollectives& collectives)
{
    const auto allSendIn = [&](const HloCollective& collective) {
        if (sentBytes(collective) == Rational(0))
            return true;
        if (!collective.branches.empty())
            return false;
        if (collective.kind != HloCollectiveKind::CollectivePermute)
            return collective.kind != HloCollectiveKind::CollectiveBroadcast;
        std::vector<std::int32_t> senders;
        for (const auto& [sender, receiver] : collective.pairs)
            if (sender != receiver)
                senders.push_back(sender);
        std::sort(senders.begin(), senders.end());
        const auto end = std::unique(senders.begin(), senders.end());
        return end - senders.begin() >= collectives.devices;
    };
    return std::all_of(collectives.list.begin(), collectives.list.end(), allSendIn);
}

std::string groupsText(const HloModule& module, const HloCollective& collective)
{
    if (collective.kind == HloCollectiveKind::CollectivePermute)
        return "pairs";
    if (collective.ids != GroupIds::Devices) {
        std::string text;
        for (const std::vector<std::int32_t>& group : collective.groups.lists)
            text += (text.empty() ? "{" : ",{") + join(group, ",") + '}';
        return '{' + text + '}';
    }
    const HloAttribute* groups = module.attribute(module.instructions[collective.instruction], "replica_groups");
    return groups ? std::string(module.view(groups->value)) : "{}";
}

std::vector<CompiledSum> sums(const HloModule& module, const HloCollectives& collectives, CompiledKey key)
{
    std::vector<CompiledSum> list;
    std::unordered_map<std::string, std::size_t> indices;
    const std::vector<bool> counted = countedInSums(collectives);
    for (std::size_t i = 0; i < collectives.list.size(); ++i) {
        const HloCollective& collective = collectives.list[i];
        if (!counted[i])
            continue;
        std::string text = sumKey(module, collective, key);
        const auto [at, isNew] = indices.emplace(text, list.size());
        if (isNew)
            list.push_back({ std::move(text), &collective, 0, 0, 0, 0, 0, {}, true });
        CompiledSum& sum = list[at->second];
        ++sum.collectives;
        sum.slicedRightAfter += collective.slicedRightAfter ? 1 : 0;
        sum.isExact = sum.isExact && collective.executions;
        sum.executions = sum.executions && collective.executions
            ? std::optional(saturatingSum(*sum.executions, *collective.executions))
            : std::nullopt;
        const std::int64_t times = collective.executions.value_or(1);
        sum.bytesIn = saturatingSum(sum.bytesIn, saturatingProduct(collective.bytesIn, times));
        sum.bytesOut = saturatingSum(sum.bytesOut, saturatingProduct(collective.bytesOut, times));
        sum.sent = sum.sent + sentBytes(collective) * Rational(times);
    }
    return list;
}

} // namespace shardscope

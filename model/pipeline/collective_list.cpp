// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/collective_list.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "partition/lower_collectives.h"

namespace shardscope {

std::string namesOf(const AxisList& axes, const Mesh& mesh)
{
    return join(axes, ", ", [&](AxisRef axis) { return toString(mesh, axis); });
}

std::int64_t localBytes(const TensorType& type, const TensorSharding& sharding)
{
    return TensorType{ type.dtype, shardShape(sharding, type.shape) }.byteCount();
}

std::string_view causeId(const CollectiveEntry& entry)
{
    constexpr std::string_view causes[] = { "reduced_factor", "operand_reshard", "result_reshard", "constraint_reshard",
        "return_reshard", "partial_operand", "border_reshard", "call_reshard", "single_device",
        "halo" }; // by Reason::Kind
    return entry.reason ? causes[static_cast<std::size_t>(entry.reason->kind)] : "program";
}

std::string keyOf(const CollectiveEntry& entry, CollectiveKey key)
{
    switch (key) {
    case CollectiveKey::Kind:
        return std::string(name(entry.kind));
    case CollectiveKey::Axes:
        return namesOf(entry.axes, *entry.mesh);
    case CollectiveKey::Source:
        return entry.source;
    case CollectiveKey::Layer:
        break;
    }
    return entry.scope;
}

std::vector<CollectiveSum> sums(const CollectiveList& list, CollectiveKey key)
{
    std::vector<CollectiveSum> found;
    std::unordered_map<std::string, std::size_t> places; // layers may be many
    for (const CollectiveEntry& entry : list.entries) {
        if (entry.scalarLoss || !entry.inSums || !isExchange(entry))
            continue;
        std::string under = keyOf(entry, key);
        const auto [place, added] = places.emplace(under, found.size());
        if (added)
            found.push_back({ std::move(under), 0, 0, {} });
        CollectiveSum& sum = found[place->second];
        ++sum.collectives;
        sum.timesPerStep = saturatingSum(sum.timesPerStep, entry.times);
        sum.sent += entry.sentPerStep();
    }
    std::stable_sort(
        found.begin(), found.end(), [](const CollectiveSum& a, const CollectiveSum& b) { return b.sent < a.sent; });
    return found;
}

SentBytes sentBytes(const CollectiveList& list)
{
    SentBytes sum;
    for (const CollectiveEntry& entry : list.entries)
        if (entry.inSums)
            (entry.scalarLoss ? sum.scalarLoss : sum.step) += entry.sentPerStep();
    return sum;
}

std::vector<std::vector<std::int64_t>> replicaGroups(const CollectiveEntry& entry, const Mesh& mesh)
{
    return entry.declaredGroups.empty() ? deviceGroups(mesh, entry.axes) : entry.declaredGroups;
}

bool isExchange(const CollectiveEntry& entry)
{
    return entry.kind != CollectiveKind::AllSlice;
}

std::vector<std::vector<std::int64_t>> sentPairs(const CollectiveEntry& entry)
{
    if (entry.kind != CollectiveKind::CollectivePermute)
        return {};
    std::vector<std::vector<std::int64_t>> pairs = entry.declaredPairs;
    if (pairs.empty() && entry.declaredGroups.empty()
        && (entry.meshBefore || !entry.before.isEquivalent(entry.after))) // else several, of strips
        pairs = permutePairs(Layout(entry.meshBefore ? entry.meshBefore : entry.mesh, entry.before, entry.type.shape),
            Layout(entry.mesh, entry.after, entry.type.shape));
    std::erase_if(pairs, [](const auto& pair) { return pair.size() != 2 || pair[0] == pair[1]; });
    return pairs;
}

bool allSend(const CollectiveEntry& entry)
{
    if (!isExchange(entry) || entry.sentBytes == Rational(0))
        return true;
    if (entry.kind == CollectiveKind::CollectiveBroadcast)
        return false; // who gets it last sends nothing
    if (!entry.halos.empty())
        return entry.haloOfAll;
    std::int64_t members = 0;
    if (std::vector<std::vector<std::int64_t>> pairs = sentPairs(entry); !pairs.empty()) {
        std::vector<std::int64_t> senders;
        for (const std::vector<std::int64_t>& pair : pairs)
            senders.push_back(pair.front());
        std::sort(senders.begin(), senders.end());
        members = std::unique(senders.begin(), senders.end()) - senders.begin();
    } else if (!entry.declaredGroups.empty()) {
        for (const std::vector<std::int64_t>& group : entry.declaredGroups)
            members += static_cast<std::int64_t>(group.size()) == entry.groupSize ? entry.groupSize : 0;
    } else {
        return true; // groups of axes
    }
    return members >= entry.mesh->deviceCount();
}

bool allSend(const CollectiveList& list)
{
    return std::all_of(list.entries.begin(), list.entries.end(), [](const CollectiveEntry& entry) {
        return allSend(entry) && (!entry.conditional || entry.sentBytes == Rational(0));
    });
}

} // namespace shardscope

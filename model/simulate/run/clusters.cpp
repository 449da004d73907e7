// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/run/clusters.h"

#include <algorithm>

#include "simulate/collectives/exchange.h"

namespace shardscope {

namespace {

/// Devices that hold the same shard of shared state.
void addSharers(const ReplicaSharing& sharing, SmallExchanges::Groups& groups)
{
    for (const std::vector<std::int32_t>& shards : sharing.shards) {
        std::map<std::int32_t, std::vector<std::int32_t>> holders; // by shard
        for (std::size_t position = 0; position < shards.size(); ++position)
            holders[shards[position]].push_back(static_cast<std::int32_t>(position));
        for (auto& [shard, devices] : holders)
            groups.push_back(std::move(devices));
    }
}

Clusters clustersOf(const SmallExchanges::Groups& groups, std::size_t devices)
{
    Clusters made{ connectedDevices(groups, static_cast<std::int64_t>(devices)), std::vector<std::int32_t>(devices) };
    for (std::size_t cluster = 0; cluster < made.devices.size(); ++cluster)
        for (const std::int32_t position : made.devices[cluster])
            made.of[static_cast<std::size_t>(position)] = static_cast<std::int32_t>(cluster);
    return made;
}

/// Whether workers that take clusters have as much to do as if they took devices.
bool isEven(const Clusters& clusters, std::size_t workers)
{
    const std::size_t size = clusters.devices.front().size();
    return size > 1 && clusters.devices.size() % workers == 0
        && std::all_of(clusters.devices.begin(), clusters.devices.end(),
            [size](const auto& cluster) { return cluster.size() == size; });
}

} // namespace

bool Clusters::hold(const std::vector<std::vector<std::int32_t>>& groups) const
{
    return !empty() && std::all_of(groups.begin(), groups.end(), [this](const std::vector<std::int32_t>& group) {
        return std::all_of(group.begin(), group.end(), [&](std::int32_t member) {
            return of[static_cast<std::size_t>(member)] == of[static_cast<std::size_t>(group.front())];
        });
    });
}

SmallExchanges::SmallExchanges(const Plan& plan)
    : m_devices(static_cast<std::size_t>(plan.program->mesh->deviceCount()))
{
    const Program& program = *plan.program->local;
    const auto bytesOf = [&](const auto& values) {
        double bytes = 0;
        for (const ValueId value : values)
            bytes += static_cast<double>(program.value(value).type.byteCount());
        return bytes * static_cast<double>(m_devices);
    };
    for (std::size_t block = 0; block < std::max<std::size_t>(plan.blocks.size(), 1); ++block)
        for (const Instruction& instruction : plan.instructionsOf(block)) {
            const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action);
            if (!collective || m_kindOf.contains(collective->operation.index))
                continue;
            const Operation& operation = program.operation(collective->operation);
            if (std::max(bytesOf(operation.operands), bytesOf(operation.results)) > static_cast<double>(maximumBytes))
                continue;
            Groups groups = collectiveGroups(plan, operation);
            const auto known = std::find(m_kinds.begin(), m_kinds.end(), groups);
            m_kindOf.emplace(
                collective->operation.index, static_cast<std::size_t>(std::distance(m_kinds.begin(), known)));
            if (known == m_kinds.end())
                m_kinds.push_back(std::move(groups));
        }
}

std::optional<std::size_t> SmallExchanges::kindOf(const Instruction& instruction) const
{
    const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action);
    const auto found = collective ? m_kindOf.find(collective->operation.index) : m_kindOf.end();
    return found == m_kindOf.end() ? std::nullopt : std::optional(found->second);
}

std::vector<bool> SmallExchanges::heldBy(const Clusters& clusters) const
{
    std::vector<bool> held;
    for (const Groups& groups : m_kinds)
        held.push_back(clusters.hold(groups));
    return held;
}

std::vector<Clusters> SmallExchanges::candidates(const ReplicaSharing& sharing, const Groups& held, int workers) const
{
    constexpr std::size_t maximumKinds = 8;
    std::vector<Clusters> found;
    if (workers < 2)
        return found;
    Groups always = held;
    addSharers(sharing, always);
    const std::size_t count = std::min(m_kinds.size(), maximumKinds);
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a; b < count; ++b) {
            Groups together = always;
            together.insert(together.end(), m_kinds[a].begin(), m_kinds[a].end());
            together.insert(together.end(), m_kinds[b].begin(), m_kinds[b].end());
            Clusters clusters = clustersOf(together, m_devices);
            if (isEven(clusters, static_cast<std::size_t>(workers))
                && std::find(found.begin(), found.end(), clusters) == found.end())
                found.push_back(std::move(clusters));
        }
    return found;
}

} // namespace shardscope

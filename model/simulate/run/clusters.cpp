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
    for (std::size_t block = 0; block < std::max<std::size_t>(plan.blocks.size(), 1); ++block)
        for (const Instruction& instruction : plan.instructionsOf(block)) {
            const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action);
            if (!collective || m_groupsOf.contains(collective->operation.index))
                continue;
            const Operation& operation = program.operation(collective->operation);
            double bytes = 0;
            for (const ValueId operand : operation.operands)
                bytes += static_cast<double>(program.value(operand).type.byteCount());
            if (bytes * static_cast<double>(m_devices) > static_cast<double>(maximumBytes))
                continue;
            Groups groups = collectiveGroups(plan, operation);
            const auto known = std::find(m_groups.begin(), m_groups.end(), groups);
            m_groupsOf.emplace(
                collective->operation.index, static_cast<std::size_t>(std::distance(m_groups.begin(), known)));
            if (known == m_groups.end())
                m_groups.push_back(std::move(groups));
        }
}

const SmallExchanges::Groups* SmallExchanges::groupsOf(const Instruction& instruction) const
{
    const auto* collective = std::get_if<CollectiveInstruction>(&instruction.action);
    const auto found = collective ? m_groupsOf.find(collective->operation.index) : m_groupsOf.end();
    return found == m_groupsOf.end() ? nullptr : &m_groups[found->second];
}

std::vector<Clusters> SmallExchanges::candidates(const ReplicaSharing& sharing, const Groups& held, int workers) const
{
    constexpr std::size_t maximumGroups = 8; // kinds of groups; of each pair of them there may be clusters as well
    std::vector<Clusters> found;
    if (workers < 2)
        return found;
    const std::size_t count = std::min(m_groups.size(), maximumGroups);
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a; b < count; ++b) {
            Groups together = held;
            together.insert(together.end(), m_groups[a].begin(), m_groups[a].end());
            together.insert(together.end(), m_groups[b].begin(), m_groups[b].end());
            addSharers(sharing, together);
            Clusters clusters = clustersOf(together, m_devices);
            if (isEven(clusters, static_cast<std::size_t>(workers)))
                found.push_back(std::move(clusters));
        }
    return found;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Devices that one worker takes together. What they exchange among each other is then done between their own work, by
// the worker that has it in its caches, and nobody waits for another worker. Of a mesh data=2, model=4 and two workers:
//
//     {0, 1, 2, 3}, {4, 5, 6, 7}       sums along model stay within a cluster, gathers along data are meetings
//     {0, 4}, {1, 5}, {2, 6}, {3, 7}   the other way round
//
// The better one has fewer rounds of meetings (meetings.h), unless large state would move between workers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "schedule/plan.h"
#include "simulate/run/replica_sharing.h"

namespace shardscope {

struct Clusters {
    std::vector<std::vector<std::int32_t>> devices; ///< mesh positions, each in one cluster; empty: there are none
    std::vector<std::int32_t> of; ///< per position: its cluster

    [[nodiscard]] bool empty() const { return devices.empty(); }
    bool operator==(const Clusters&) const = default;
    /// Whether each group lies within one cluster.
    [[nodiscard]] bool hold(const std::vector<std::vector<std::int32_t>>& groups) const;
};

/// The collectives of a plan that move little; of one kind are those with the same groups. Large ones are shared out
/// among workers.
class SmallExchanges {
public:
    using Groups = std::vector<std::vector<std::int32_t>>; ///< mesh positions
    /// Of what all devices put in, or of what they all get.
    static constexpr std::int64_t maximumBytes = std::int64_t{ 1 } << 20;
    SmallExchanges() = default;
    explicit SmallExchanges(const Plan& plan);

    /// Nothing where the instruction is no such collective.
    [[nodiscard]] std::optional<std::size_t> kindOf(const Instruction& instruction) const;
    /// Per kind: whether clusters hold its groups.
    [[nodiscard]] std::vector<bool> heldBy(const Clusters& clusters) const;
    /// Clusters that hold the groups of one or two kinds, those in `held`, and devices that share state. There are
    /// enough clusters, of equal size, for that many workers. Each once.
    [[nodiscard]] std::vector<Clusters> candidates(
        const ReplicaSharing& sharing, const Groups& held, int workers) const;

private:
    std::vector<Groups> m_kinds;
    std::map<std::uint32_t, std::size_t> m_kindOf; ///< by operation
    std::size_t m_devices = 0;
};

} // namespace shardscope

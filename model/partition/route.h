// SPDX-License-Identifier: GPL-3.0-or-later
// Where a reshard stands and the steps that led there: what all planners share. Axes are held as lists of parts, one
// per dimension.
#pragma once

#include <vector>

#include "partition/axis_lists.h"
#include "partition/reshard.h"

namespace shardscope::reshard {

/// Whether the blocks of `size` elements in the smaller number of shards are unions of those in the larger one, so that
/// a step between the two moves complete blocks. nest(8, 2, 4) is true, nest(8, 2, 3) is not.
[[nodiscard]] bool nest(std::int64_t size, std::int64_t shards, std::int64_t otherShards);

/// The parts of axes along which data moves when blocks sharded by the one lists become those sharded by the others.
[[nodiscard]] AxisList permutedAxes(const Lists& from, const Lists& to, std::size_t meshRank);

class Route {
public:
    /// Refers to the reshard, which stays as it is.
    explicit Route(const Reshard& reshard);

    [[nodiscard]] std::size_t rank() const { return m_current.size(); }
    /// Neighbours that are one part are merged.
    [[nodiscard]] const Lists& current() const { return m_current; }
    /// Devices are still those of the source's mesh, and that is another order than the target's.
    [[nodiscard]] bool sourceOrder() const { return m_sourceOrder; }

    // Steps, from where it stands to the lists `after`.
    void emit(Collective collective, Lists after, std::int64_t groupSize);
    void emitPerDimension(CollectiveKind kind, const Lists& perDimension, Lists after);
    void emitExchange(std::size_t source, std::size_t target, const AxisList& moved, Lists after);
    /// To the target's order of devices, whatever else changes.
    void emitPermute(Lists after);
    /// Adds up over these unreduced axes. The result is scattered over `scattered`, all of them or none.
    void emitReduction(const AxisList& over, const Lists& scattered, Lists after);

    [[nodiscard]] std::vector<ReshardStep> take() { return std::move(m_steps); }

protected:
    [[nodiscard]] TensorSharding sharding() const;
    [[nodiscard]] std::int64_t localBytes() const;

    const Mesh& m_mesh;
    const TensorType& m_type;
    Lists m_current;
    AxisList m_unreduced;
    bool m_sourceOrder = false;
    std::vector<ReshardStep> m_steps;
};

} // namespace shardscope::reshard

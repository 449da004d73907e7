// SPDX-License-Identifier: GPL-3.0-or-later
// The search for the steps from one sharding to another, in the order of OpenXLA Shardy: slice early, permute, exchange
// between dimensions, gather last. Everything works on lists of axis parts that are split until two parts are equal or
// disjoint.
#pragma once

#include <vector>

#include "partition/axis_lists.h"
#include "partition/partition.h"

namespace shardscope::reshard {

class Resharder {
public:
    /// Refers to type and mesh.
    Resharder(const TensorSharding& from, const TensorSharding& to, const TensorType& type, const Mesh& mesh);

    [[nodiscard]] std::vector<ReshardStep> run(const AxisList& keepUnreduced);

private:
    [[nodiscard]] std::size_t rank() const { return m_current.size(); }
    bool update();
    [[nodiscard]] bool done() const;
    bool search();
    void reduce(const AxisList& keep);

    // The phases, each on what update() left. exchange() moves one dimension's axes; false when there is none to move.
    void slice();
    [[nodiscard]] bool wantsPermute() const;
    void permute();
    void dropFront(std::size_t d, AxisList& kept, AxisList& dropped) const;
    void addGathered(std::size_t d, AxisRef range, AxisList& list) const;
    bool exchange(bool finalPlaceOnly);
    void gather();

    // The way that always works.
    [[nodiscard]] bool exact(const Lists& start, std::size_t firstStep) const;
    void gatherThenSlice();

    // Steps, from where it stands to the lists `after`.
    void emit(Collective collective, Lists after, std::int64_t groupSize);
    void emitPerDimension(CollectiveKind kind, const Lists& perDimension, Lists after);
    [[nodiscard]] TensorSharding sharding() const;
    [[nodiscard]] std::int64_t localBytes() const;
    [[nodiscard]] Shape localShape(const Lists& lists) const;

    const Mesh& m_mesh;
    const TensorType& m_type;
    Lists m_target;
    Lists m_current;
    AxisList m_unreduced;
    Lists m_prefix; ///< per dimension: the part in which what is there and what is wanted agree
    Lists m_in, m_out; ///< what is there and what is wanted, behind that
    std::vector<ReshardStep> m_steps;
};

} // namespace shardscope::reshard

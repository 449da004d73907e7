// SPDX-License-Identifier: GPL-3.0-or-later
// The search for the steps from one sharding to another, in the order of OpenXLA Shardy: slice early, permute, exchange
// between dimensions, gather last. Everything works on lists of axis parts that are split until two parts are equal or
// disjoint.
#pragma once

#include <vector>

#include "partition/route.h"

namespace shardscope::reshard {

class Resharder : private Route {
public:
    /// Refers to the reshard.
    explicit Resharder(const Reshard& reshard);

    [[nodiscard]] std::vector<ReshardStep> run();

private:
    bool update();
    [[nodiscard]] bool done() const;
    [[nodiscard]] bool needsTargetOrder() const;
    bool search();
    void reduce();

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

    Lists m_target;
    AxisList m_keepUnreduced;
    Blocks m_blocks;
    Lists m_prefix; ///< per dimension: the part in which what is there and what is wanted agree
    Lists m_in, m_out; ///< what is there and what is wanted, after that
};

} // namespace shardscope::reshard

// SPDX-License-Identifier: GPL-3.0-or-later
// Whether stretches that do the same thing are also wired alike, up to a shift: what they read from outside they read
// from corresponding places.
//
// For every place that reads from outside, the copies in their order read
//     the same value                      a mask that all layers share
//     what an earlier copy makes          always as far back, and always the same one of its values
//     what copies of other stretches make one further for each copy, or one back: the layers of a backward pass
//     values of their own                 each its own weight
// and none of that changes on the way. Copies at an end may read what stands before the first or after the last one.
#pragma once

#include "program/outline/block_comparison.h"

namespace shardscope {

class RepeatWiring {
public:
    /// Copies that run through those of other stretches backwards: the first one reads from copy `from` of them.
    struct Mirror {
        int run = -1; ///< as add() numbered it; -1 for none
        int from = 0;
    };

    explicit RepeatWiring(const Program& program);
    /// How many of the copies are wired alike, from the first one on. They are the same as BlockComparison sees them.
    [[nodiscard]] int alike(std::span<const Stretch> copies);
    /// What the copies that alike() was last asked about mirror.
    [[nodiscard]] Mirror mirror() const { return m_mirror; }
    /// Copies that were found; later ones may read from them. Gives them a number, from 0 on.
    int add(std::span<const Stretch> copies);

private:
    /// Where a value is made: in which copy of which run, as which of its values.
    struct Place {
        int run = -1, copy = 0, offset = 0;
    };
    void collect(Stretch operations, std::vector<ValueId>& made, std::vector<ValueId>* read) const;
    [[nodiscard]] int alikeAt(std::size_t slot, int copies);
    [[nodiscard]] bool isAtEnd(const Place& place) const;

    const Program& m_program;
    std::vector<Place> m_places; ///< by value: of runs that were added
    std::vector<Place> m_own; ///< by value: of the copies at work, where run is m_stamp
    std::vector<int> m_sizes; ///< copies of each run
    std::vector<std::vector<ValueId>> m_reads; ///< by copy: what is read from outside
    std::vector<int> m_readBy; ///< by value: number of the last place that was looked at
    int m_stamp = 0, m_slots = 0;
    std::vector<std::pair<Mirror, int>> m_mirrors; ///< and how often
    Mirror m_mirror;
};

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What values were sharded like while propagation went on: the log, played up to a step.
//
//     seeds: x [{data}, {}];  step 1: data moves along factor i of a product from x to y
//     Replay replay(result);
//     replay.axesAt(y, 0, 0)  // {}
//     replay.axesAt(y, 0, 1)  // {data}
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "propagation/propagate.h"

namespace shardscope {

/// An axis arrives at a list: it continues the list, or it is more of a part that has arrived before.
void arrive(AxisList& axes, AxisRef axis);

class Replay {
public:
    /// `result` must outlive the replay.
    explicit Replay(const PropagationResult& result);

    /// The number of the last step; step 0 is what was given. Steps in which only what is declared for a result changes
    /// have no records.
    [[nodiscard]] std::uint32_t steps() const { return m_steps; }
    /// The axes of a dimension of a value after that step.
    [[nodiscard]] AxisList axesAt(ValueId value, std::size_t dimension, std::uint32_t step) const;
    /// The records of one step, in the order of the log; those of step 0 are the seeds.
    [[nodiscard]] std::vector<const PropagationStep*> recordsOf(std::uint32_t step) const;
    /// Positions in the log of the records of one dimension of a value, in the order of the log.
    [[nodiscard]] std::vector<std::uint32_t> positionsOf(ValueId value, std::size_t dimension) const;
    /// The first step after which every axis of the value that it holds in the end is there; 0 for what was given.
    [[nodiscard]] std::uint32_t settledAt(ValueId value) const;

private:
    /// Positions in m_byValue of the value's records: begin and end.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> rangeOf(ValueId value) const;

    const PropagationResult& m_result;
    std::uint32_t m_steps = 0;
    std::vector<std::uint32_t> m_byStep; ///< positions in the log, by step
    std::vector<std::uint32_t> m_stepBegin; ///< per step into m_byStep, and one more
    // Values that share one sharding share their records: those of their representative.
    std::vector<std::uint32_t> m_byValue; ///< positions in the log, by representative
    std::vector<std::uint32_t> m_valueBegin; ///< per value into m_byValue, and one more
};

} // namespace shardscope

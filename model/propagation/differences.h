// SPDX-License-Identifier: GPL-3.0-or-later
// Two propagations of one program compared: which dimensions end with different axes, and since when.
//
//     basic:      y [{}, {}]       aggressive: y [{}, {b}], since step 3 (b passes dot_general, from w to y)
//     differences(...) == { { y, dimension 1, {}, {b}, noRecord, 17, 0, 3 } }
#pragma once

#include <cstdint>
#include <vector>

#include "propagation/propagate.h"

namespace shardscope {

struct PropagationDifference {
    static constexpr std::uint32_t noRecord = 0xffff'ffff;

    ValueId value;
    std::uint32_t dimension = 0;
    AxisList first, second; ///< what the dimension ends with
    /// Positions in the two logs: the record by which one took what the other does not end with. At least one of them
    /// is there.
    std::uint32_t firstRecord = noRecord, secondRecord = noRecord;
    /// The steps of each since which they differ: that of the record, or where there is none the last one in which the
    /// dimension changed; 0 = from the beginning.
    std::uint32_t firstStep = 0, secondStep = 0;
    bool operator==(const PropagationDifference&) const = default;
};

/// In the order of values and dimensions. The programs may have been prepared in different ways: what stands in both
/// under one id is compared. Openness and what is replicated do not count.
[[nodiscard]] std::vector<PropagationDifference> differences(const Program& firstProgram,
    const PropagationResult& first, const Program& secondProgram, const PropagationResult& second);

/// How many values the differences are about.
[[nodiscard]] std::size_t countValues(const std::vector<PropagationDifference>& list);

} // namespace shardscope

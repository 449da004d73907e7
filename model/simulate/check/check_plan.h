// SPDX-License-Identifier: GPL-3.0-or-later
// What a check compares, and what the reference computes for it: settled by the program alone.
#pragma once

#include <vector>

#include "simulate/check/reference.h"

namespace shardscope {

struct CheckPlan {
    /// State that is compared as such: its new value is no link.
    struct State {
        ValueId argument, result;
        std::size_t resultIndex = 0;
        ValueId gradient; ///< of a parameter, where it is a link
        ReferenceSchedule fromGradients; ///< f32 parameters
        ReferenceSchedule fromLinks; ///< f32
    };

    explicit CheckPlan(const Program& program);

    /// What the reference and the comparison take, not less than at their peaks.
    [[nodiscard]] double bytes(const Program& program) const;

    std::vector<ValueId> links; ///< checkedValues()
    std::vector<State> state;
    bool single = false; ///< the program has f32 values
    ReferenceSchedule alone; ///< a reference that goes its own way
    ReferenceSchedule linkByLink; ///< f32
};

} // namespace shardscope

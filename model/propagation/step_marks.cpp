// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/step_marks.h"

#include <algorithm>

namespace shardscope {

StepMarks StepMarks::of(const Replay& replay, std::uint32_t step)
{
    StepMarks marks;
    for (const PropagationStep* record : replay.recordsOf(step)) {
        if (!record->seed && record->operation.valid())
            marks.operation = record->operation;
        marks.arrivals.push_back({ record->to, record->axis });
        if (!record->seed && record->from.valid() && record->from != record->to)
            marks.moves.push_back({ record->from, record->to, record->axis.axis });
    }
    const auto eachOnce = [](auto& list) { // there may be thousands
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    eachOnce(marks.arrivals);
    eachOnce(marks.moves);
    return marks;
}

} // namespace shardscope

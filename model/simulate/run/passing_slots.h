// SPDX-License-Identifier: GPL-3.0-or-later
// Slots of values that nothing reads after the phase that computes them. While a device works through the phase, they
// lie in memory of the worker, which does the same for one device after the other: that memory stays in its cache,
// where that of all devices would not.
//
//     phase   h = dot_general x, w    a = maximum h, 0    y = dot_general a, v        next   all_reduce y
//     h and a pass, and may lie where those of the device before lay; y stays in the device's own memory
#pragma once

#include <cstdint>

#include "simulate/run/phases.h"

namespace shardscope {

/// What a worker has for them: well below a cache of the second level.
inline constexpr std::int64_t passingBytes = 512 * 1024;

/// Whether there are such slots: where workers work for several devices each.
[[nodiscard]] inline bool valuesPass(const Plan& plan, int threads)
{
    return plan.program->mesh->deviceCount() > threads;
}

/// Places them, per phase of main: Phase::passing. Not more than passingBytes at any time; what is left has its own
/// memory as before. Arguments, results and values that can be read after the step never pass.
void placePassingSlots(const Plan& plan, PreparedBlock& main);

} // namespace shardscope

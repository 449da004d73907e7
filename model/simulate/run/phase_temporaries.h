// SPDX-License-Identifier: GPL-3.0-or-later
// Temporaries of a phase: values that nothing reads after the phase that computes them. While a device works through
// the phase, their slots lie in memory of the worker, which does the same for one device after the other: that memory
// stays in its cache, where that of all devices would not.
//
//     phase   h = dot_general x, w    a = maximum h, 0    y = dot_general a, v        next   all_reduce y
//     h and a are temporaries, and may lie where those of the device before lay; y stays in the device's own memory
#pragma once

#include <cstdint>

#include "simulate/run/phases.h"

namespace shardscope {

/// What a worker has for them: within the 256 KiB that caches of the second level have at least. A transformer of width
/// 64 needs 64 KiB.
inline constexpr std::int64_t temporaryBytes = 256 * 1024;

/// Whether workers have such memory: where each works for several devices.
[[nodiscard]] inline bool usesWorkerMemory(const Plan& plan, int threads)
{
    return plan.program->mesh->deviceCount() > threads;
}

/// Places them, per phase of main: Phase::temporaries. Not more than temporaryBytes at any time; those that are left
/// have the device's memory as before. Arguments, results and values that can be read after the step are none.
void placeTemporaries(const Plan& plan, PreparedBlock& main);

} // namespace shardscope

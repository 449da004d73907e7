// SPDX-License-Identifier: GPL-3.0-or-later
// At how many places labels stand beside rows and columns.
#pragma once

#include <cstdint>

namespace shardscope {

/// So that labels do not touch: at each place, or at each 4th, 8th, 16th, ...; `count` or more where not even two of
/// them have room. `pitch` is the way from one place to the next, `needed` that from one label to the next, in pixels.
[[nodiscard]] inline std::int64_t labelStep(std::int64_t count, double pitch, int needed)
{
    std::int64_t step = 1;
    while (step < count && pitch * static_cast<double>(step) < needed)
        step = step == 1 ? 4 : step * 2;
    return step;
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in texts on several devices with several threads: how many steps were taken, and whether all had the same
// bits.
#pragma once

#include <cstdint>

namespace shardscope::stress {

struct Executed {
    std::int64_t steps = 0; ///< executions of a program
    bool same = true;
};

/// Two users at a time, each with its own devices and threads, `rounds` times every program.
[[nodiscard]] Executed executePrograms(int rounds);

} // namespace shardscope::stress

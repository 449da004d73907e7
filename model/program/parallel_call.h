// SPDX-License-Identifier: GPL-3.0-or-later
// "interpreter.run_parallel" of StableHLO's own test programs: one function on several devices, called from a main that
// is not on them.
//
//     %r:2 = "interpreter.run_parallel"(%a, %b) { programs = [[@f], [@f]] }
//     2 replicas of 1 partition: f(%a) on device 0 gives %r#0, f(%b) on device 1 gives %r#1
#pragma once

#include <cstdint>

#include "program/program.h"

namespace shardscope {

[[nodiscard]] bool isParallelCall(const Operation& operation);

/// The function, if all devices execute the same one; rows of the list are replicas.
struct ParallelCall {
    const Function* function = nullptr; ///< null where there are several, or none
    std::int64_t replicas = 0, partitions = 0;
};
[[nodiscard]] ParallelCall parallelCall(const Program& program, const Operation& operation);

} // namespace shardscope

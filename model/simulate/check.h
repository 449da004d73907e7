// SPDX-License-Identifier: GPL-3.0-or-later
// Sharded results against the unsharded reference.
#pragma once

#include <string>
#include <vector>

#include "simulate/reference.h"
#include "simulate/run.h"

namespace shardscope {

struct ValueCheck {
    ValueId value; ///< of the program; for state the new value (a result)
    std::string path;
    double largestError = 0; ///< |ours - reference|, over the array
    double tolerance = 0; ///< what it was compared with, at that element
    double largestMagnitude = 0; ///< of the reference array
    bool replicasAgree = true;
    bool passed = true;
    std::int64_t worstElement = -1; ///< row-major global index
    std::int64_t worstDevice = -1;
    std::int64_t compared = 0; ///< elements that the comparison covers (f32 parameters: |g| above its bound only)
};

struct CheckReport {
    std::vector<ValueCheck> values;
    bool passed = true;
    double lossOurs = 0;
    double lossReference = 0;
};

/// Runs `steps` steps from the start on both sides and compares after each step the loss, every gradient and every new
/// state array. f64: loss 1e-9 relative, arrays 1e-9 of the largest magnitude in the array. f32: gradients within the
/// rounding bound, parameters within 1e-5 relative where |g| exceeds that bound.
[[nodiscard]] Result<CheckReport> checkAgainstReference(std::shared_ptr<const DeviceProgram> program,
    const RunOptions& options, std::int64_t steps = 1);

} // namespace shardscope

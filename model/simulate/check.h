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
    double largestError = 0; ///< |ours - reference| at the element that is worst measured by its tolerance
    double tolerance = 0; ///< what it was compared with, at that element
    double largestMagnitude = 0; ///< of the reference array
    bool replicasAgree = true;
    bool passed = true;
    std::int64_t worstElement = -1; ///< row-major global index
    std::int64_t worstDevice = -1; ///< the first device that holds it
    std::int64_t compared = 0; ///< elements that the comparison covers, in the last step
    /// f32 parameters: elements of the first step whose |g| exceeds its rounding bound, compared without sharing
    /// gradients.
    std::int64_t comparedEndToEnd = 0;
};

struct CheckReport {
    std::vector<ValueCheck> values; ///< gradients, then the results of main in their order
    bool passed = true;
    double lossOurs = 0; ///< in the last step
    double lossReference = 0;
};

/// Runs `steps` steps from the start on both sides and compares after each step the loss, every gradient and every new
/// state array; a value's line shows its worst step. Integers are compared exactly.
///
/// f64: both sides go their own way. The loss 1e-9 relative, arrays 1e-9 of the largest magnitude in the array.
///
/// f32: against the program computed in double. The loss, outputs and gradients within 2 sqrt(k) eps |a|.|b|: the
/// rounding bound with sqrt(k) instead of k, since the errors of a sum of k terms grow like sqrt(k) with overwhelming
/// probability (Higham and Mary, SIAM J. Sci. Comput. 41, 2019); the certain bound would let gross errors pass. Adam's
/// step is about lr * sign(g) where g is small, so what follows from gradients is compared on equal gradients: the
/// reference takes over the devices' gradients once they have been compared, computes on in f32, and new state is
/// within 1e-5 of |old| + |new| (relative to what is added up: the sum itself may cancel). Each further step begins
/// with the devices' state. In the first step parameters are also compared end to end where |g| exceeds its bound, with
/// the same tolerance.
///
/// Errors: those of schedule and Run::create, TooLarge for the reference.
[[nodiscard]] Result<CheckReport> checkAgainstReference(
    std::shared_ptr<const DeviceProgram> program, const RunOptions& options, std::int64_t steps = 1);

} // namespace shardscope

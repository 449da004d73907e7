// SPDX-License-Identifier: GPL-3.0-or-later
// The unsharded reference: the program executed whole, operation by operation, by plain loops written for clarity.
// It shares no kernel with the simulated devices.
#pragma once

#include <vector>

#include "simulate/initial_values.h"

namespace shardscope {

/// Values of main by ValueId, row-major; every value of the program, in its element type's arithmetic (f32 rounds to
/// float after every operation).
struct ReferenceState {
    std::vector<std::vector<double>> values;
    std::int64_t steps = 0;
};

/// Initial state: arguments filled, everything else empty. TooLarge when it would take more than `memoryLimit` bytes.
[[nodiscard]] Result<ReferenceState> referenceStart(const Program& program, const InitialValues& initial,
    std::int64_t memoryLimit = std::int64_t { 8 } << 30);
/// One step: computes every value, then moves state results into their arguments for the next step (the results
/// themselves stay readable by their own ids).
void referenceStep(const Program& program, ReferenceState& state);

/// The same program on absolute values, every sum of magnitudes: |a| . |b| of the rounding bound
/// |g32 - g| <= 2 k eps |a|.|b|. `terms` is k, the length of the longest chain of sums behind each value.
struct RoundingBound {
    std::vector<double> magnitude; ///< row-major, like the value
    double terms = 0;
};
[[nodiscard]] RoundingBound roundingBound(const Program& program, const ReferenceState& state, ValueId value);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The unsharded reference: the program executed whole, operation by operation, by plain loops written for clarity.
// It shares no kernel with the simulated devices.
#pragma once

#include <span>
#include <vector>

#include "simulate/initial_values.h"

namespace shardscope {

/// How f32 values are computed: rounded to float after every operation, or in double as if they were f64.
enum class ReferencePrecision : std::uint8_t { AsTyped, Double };

/// Values of main by ValueId, row-major; every value of the program, in its element type's arithmetic (f32 rounds to
/// float after every operation, in a product of arrays after every multiplication and every addition).
struct ReferenceState {
    std::vector<std::vector<double>> values;
    std::int64_t steps = 0;
    ReferencePrecision precision = ReferencePrecision::AsTyped;
};

/// Initial state: arguments filled, everything else empty. Arguments and constants are rounded to their element
/// type in either precision. TooLarge when it would take more than `memoryLimit` bytes.
[[nodiscard]] Result<ReferenceState> referenceStart(const Program& program, const InitialValues& initial,
    std::int64_t memoryLimit = std::int64_t{ 8 } << 30, ReferencePrecision precision = ReferencePrecision::AsTyped);
/// One step: computes every value, then moves state results into their arguments for the next step (the results
/// themselves stay readable by their own ids).
void referenceStep(const Program& program, ReferenceState& state);
/// The two halves of a step. After computing, the arguments still hold what the step began with.
void referenceCompute(const Program& program, ReferenceState& state);
void referenceAdvance(const Program& program, ReferenceState& state);
/// Computes again what depends on the values in `changed`, which keep what the caller wrote into them.
void referenceRecompute(const Program& program, ReferenceState& state, std::span<const ValueId> changed);

/// |a| . |b| of the rounding bound |g32 - g| <= 2 k eps |a|.|b|. For a product a . b it is A.|b| + |a|.B, where A and B
/// are the sums behind a and b on absolute values: what rounding in a and b can do to the product, to first order, in
/// units of their own sums. `terms` is k, the length of the longest chain of sums back to the arguments.
/// Absolute values all the way back would bound the worst case as well, but through eight products of depth 1024 that
/// bound exceeds the values themselves by many orders of magnitude: a check against it could not fail.
struct RoundingBound {
    std::vector<double> magnitude; ///< row-major, like the value
    double terms = 0;
};
/// `state` after referenceCompute: predicates and divisors are taken from it. Operations that are not linear (exp,
/// tanh,
/// ...) pass on the magnitude of their own result.
[[nodiscard]] RoundingBound roundingBound(const Program& program, const ReferenceState& state, ValueId value);
/// The same for several values in one pass.
[[nodiscard]] std::vector<RoundingBound> roundingBounds(
    const Program& program, const ReferenceState& state, std::span<const ValueId> values);

} // namespace shardscope

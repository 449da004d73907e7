// SPDX-License-Identifier: GPL-3.0-or-later
// The unsharded reference: the program executed on one device, operation by operation, by plain loops written for
// clarity. It shares no kernel with the simulated devices.
#pragma once

#include <span>
#include <vector>

#include "simulate/run/initial_values.h"

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

/// Initial state: arguments filled, everything else empty. Arguments and constants are rounded to their element type in
/// either precision.
[[nodiscard]] ReferenceState referenceArguments(
    const Program& program, const InitialValues& initial, ReferencePrecision precision);
/// Bytes of the arguments; as double, since a program may be far larger than any memory.
[[nodiscard]] double argumentBytes(const Program& program);

/// Moves state results into their arguments for the next step (the results themselves stay readable by their own ids).
void referenceAdvance(const Program& program, ReferenceState& state);

/// The operations that give certain values, and no others.
struct ReferenceSchedule {
    struct Step {
        OperationId operation;
        SmallVector<ValueId, 4> unread; ///< what no later step reads, targets, arguments and given values apart
    };
    std::vector<Step> steps;
    double peakBytes = 0; ///< at the peak, of what the steps compute and have not dropped yet
};
/// Works out schedules of one program from certain values on: each takes time for its own steps alone, however large
/// the program is. `given` values and arguments are taken as the state holds them.
class ReferenceScheduler {
public:
    /// `program` outlives this.
    ReferenceScheduler(const Program& program, std::span<const ValueId> given);
    [[nodiscard]] ReferenceSchedule to(std::span<const ValueId> targets);

private:
    const Program& m_program;
    std::vector<std::size_t> m_places; ///< of operations in main
    std::vector<bool> m_lasts; ///< by value: arguments, given values; while a schedule is made, its targets
    std::vector<bool> m_given; ///< by value
    std::vector<bool> m_seen; ///< by value; all false between two schedules
};
[[nodiscard]] ReferenceSchedule referenceSchedule(
    const Program& program, std::span<const ValueId> given, std::span<const ValueId> targets);
/// Computes the targets and drops every array that is not read any more.
void referenceCompute(const Program& program, ReferenceState& state, const ReferenceSchedule& schedule);
/// One operation of main: its result from what the state holds of its operands.
void referenceCompute(const Program& program, ReferenceState& state, const Operation& operation);

} // namespace shardscope

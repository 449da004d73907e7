// SPDX-License-Identifier: GPL-3.0-or-later
// Which value is the first that devices compute otherwise than the reference: both are run once more, and compared
// value by value.
#pragma once

#include <optional>

#include "partition/partition_program.h"
#include "simulate/run/execute.h"

namespace shardscope::kernels {

struct FirstDifference {
    ValueId value; ///< of the program as it was given
    OperationId operation; ///< that computes it there
    std::int64_t occurrence = 1; ///< of this operation: in a loop it is computed several times
    std::int32_t device = 0; ///< that holds the element
    std::int32_t other = -1; ///< a device that should hold the same bits and does not; -1: they agree with each other
    Shape index; ///< of the element in the full array
    Array found, wanted; ///< the element, and the one of the reference, or of the other device
};

/// `reference` is what unsharded() made of `program`. Nothing where every value that can be compared agrees, but for
/// roundings as RoundingNoise makes them: those that stand outside of manual computations and that no devices hold
/// addends of. Values of the reference are kept until they are compared; where they take more than `keptBytes`, both
/// are run once more for the next ones, at most `maxRuns` times. Errors: those of execute().
using Parts = std::shared_ptr<const PartitionedProgram>;
[[nodiscard]] Result<std::optional<FirstDifference>> firstDifference(const ProgramPtr& program, const Parts& reference,
    const Parts& devices, const Arrays& arguments, const ExecuteOptions& options, double keptBytes, int maxRuns = 16);

} // namespace shardscope::kernels

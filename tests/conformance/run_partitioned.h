// SPDX-License-Identifier: GPL-3.0-or-later
// A program partitioned over several devices, executed on them, and compared with what it expects and with the
// unsharded execution. The bits are the same whatever the number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "program/program.h"
#include "simulate/kernels/array.h"

namespace shardscope::conformance {

struct PartitionedOutcome {
    enum class Kind { Passed, Failed, Unsupported } kind = Kind::Passed;
    std::string why = {};
    std::int64_t devices = 0; ///< of its mesh
};

/// Where devices computed something else than the reference; empty if nowhere. Floats may be as far apart as
/// simulate/check/compare.h says: some roundings of the largest element.
[[nodiscard]] std::string arrayDifference(const kernels::Array& found, const kernels::Array& wanted);

/// The function as main of a program of its own: bodies change places, nothing else does.
[[nodiscard]] Program withMain(Program program, std::size_t function);

/// Nothing to be shown: the program speaks of devices itself, exchanges with the world outside, or has nothing that
/// could be cut.
///
/// A program without a mesh gets one of so many devices: x=2, or x=2, y=4. Arguments and what is made without operands
/// are sharded along the first dimensions that the axes divide. One with a mesh of its own runs on that, once: where 2
/// devices are asked for. Inputs are pseudo-random numbers.
[[nodiscard]] std::optional<PartitionedOutcome> runPartitioned(const Program& program, std::int64_t devices);

} // namespace shardscope::conformance

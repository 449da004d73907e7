// SPDX-License-Identifier: GPL-3.0-or-later
// Explicit reshards: after this pass every operation can be computed on local shards, and whatever that takes stands in
// the program as a reshard or an all-reduce of its own (OpenXLA Shardy's insert-explicit-reshards).
//
//     %0 = dot %a, %b : [{x}, {y}]      a [{x}, {y}], b [{y}, {}]
// becomes
//     %0 = dot %a, %b : [{x}, {}]       // i has {x}, k has {y}: the result is partial over y
//     %1 = all_reduce {y} %0
//     %2 = reshard %1 to [{x}, {y}]     // what users of the result expect
//
// A value without a sharding is closed and replicated. Operations without a factor rule, or with one that the user gave
// for something else than this (", custom"), and those whose tensors are over meshes of different axes are left alone.
// Running the pass again changes nothing.
#pragma once

#include <vector>

#include "partition/reason.h"

namespace shardscope::passes {

enum class ReshardVersion : std::uint8_t {
    /// For a compiler that reshards by itself: calls, partial values, concatenations of differently sharded arrays, and
    /// products whose result would have to be exchanged anyhow.
    Minimal,
    Full,
    /// Full, for devices that exchange halos: arrays put together along a dimension that is sharded alike in all of
    /// them stay as they are.
    FullWithHalos
};

/// An operation that a pass added, and why.
struct Inserted {
    OperationId operation;
    Reason reason;
    bool operator==(const Inserted&) const = default;
};

struct ExplicitReshards {
    Program program;
    std::vector<Inserted> inserted; ///< ascending by operation
};

/// Of a legal program whose shardings have no axes of size 1 (removeSizeOneAxes()). Errors, of the full version:
/// MaximalMesh for an argument or result of a function on a single device, MeshMismatch for an operation whose results
/// are on different single devices.
[[nodiscard]] Result<ExplicitReshards> insertExplicitReshards(Program program, ReshardVersion version);

} // namespace shardscope::passes

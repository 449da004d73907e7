// SPDX-License-Identifier: GPL-3.0-or-later
// Reshards and collectives that are not needed, or that fewer do as well.
//
//     %1 = all_reduce {x} %0
//     %2 = all_slice [{x}, {}] %1
// becomes
//     %3 = reduce_scatter [{x}, {}] %0
#pragma once

#include <utility>
#include <vector>

#include "program/program.h"

namespace shardscope::passes {

/// Operations that a pass made, each with the one whose work it does.
using Origins = std::vector<std::pair<OperationId, OperationId>>;

struct Canonicalized {
    Program program;
    Origins origins;
    bool changed = false;
};

/// A reshard of a reshard that nothing else reads becomes one.
[[nodiscard]] Canonicalized canonicalizeReshards(Program program);
/// Collectives that do nothing go; those that undo each other go; pairs that are one become one: two all-to-alls of
/// different dimensions, an all-reduce that all users slice. Shardy leaves such an all-reduce as it is where it adds up
/// along further axes; with `splitsSums` what is left after the reduce-scatter is added up along those, as XLA does it:
///
///     %1 = all_reduce {d, x} %0                   %1 = reduce_scatter [{x}, {}] %0
///     %2 = all_slice [{x}, {}] %1                 %2 = all_reduce {d} %1
[[nodiscard]] Canonicalized canonicalizeCollectives(Program program, bool splitsSums = false);
/// Of several reshards of one value to one sharding in a region, the first does for all: a value that an operation
/// reads twice, or that several read, is exchanged once.
[[nodiscard]] Canonicalized mergeReshards(Program program);
/// Collectives whose result nothing reads go.
[[nodiscard]] Program dropUnusedCollectives(Program program);

} // namespace shardscope::passes

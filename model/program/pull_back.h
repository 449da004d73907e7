// SPDX-License-Identifier: GPL-3.0-or-later
// Reverse mode through a list of operations: those of main, or of the body of a loop.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "program/differentiate.h"
#include "program/region_values.h"

namespace shardscope {

/// The cotangent of each value that has one so far.
using CotangentMap = std::unordered_map<ValueId, ValueId>;
/// Adds a contribution to that of a value; an invalid one is none.
void addCotangent(Builder& builder, CotangentMap& cotangents, ValueId value, ValueId contribution);

/// Goes through the operations of a region from the last to the first and adds to the cotangents of what is in
/// `dependent`. The pullbacks are built where the builder stands, in the scope "backward/<scope of the operation>".
/// `origins`, where asked for, get to know all operations that are added. Errors: InvalidOperand if an operation on the
/// way has no derivative.
[[nodiscard]] Result<void> pullBack(Builder& builder, RegionId region, const ValueFlags& dependent,
    const DifferentiateOptions& options, CotangentMap& cotangents, DerivativeOrigins* origins = nullptr);

/// The cotangents of what a loop begins with, one per operand, from those of its results; invalid where there is none.
/// `loop` stands in `region`, and what it carries is all that its bodies use. It may come to carry more: what the way
/// back needs of each trip. The way back is a loop too, built where the builder stands. Errors: InvalidOperand if the
/// loop does not count its trips, or an operation of its body has no derivative.
[[nodiscard]] Result<std::vector<ValueId>> pullBackLoop(Builder& builder, OperationId loop, RegionId region,
    std::span<const ValueId> cotangents, const ValueFlags& dependent, const DifferentiateOptions& options);

} // namespace shardscope

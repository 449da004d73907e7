// SPDX-License-Identifier: GPL-3.0-or-later
// What bodies use, and what depends on what through them.
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// Values that stand around a region and are used in it or in what it holds, each once, in the order of first use.
///
///     %w = ...;  while { ...; %2 = multiply %x, %w; ... }     -> %w of the loop's body
[[nodiscard]] std::vector<ValueId> usedFromOutside(const Program& program, RegionId region);
/// The same of all bodies of an operation.
[[nodiscard]] std::vector<ValueId> usedFromOutside(const Program& program, const Operation& operation);

/// By ValueId; values beyond its end are not in it.
using ValueFlags = std::vector<bool>;
[[nodiscard]] inline bool has(const ValueFlags& flags, ValueId value)
{
    return value.index < flags.size() && flags[value.index];
}

/// Adds to `dependent` what the operations compute from it by way of floating-point values without the role Constant.
/// In the bodies of loops too: an argument of a body depends on what its value can be in any trip.
void addDependent(const Program& program, std::span<const OperationId> operations, ValueFlags& dependent);
/// Adds to `reached` those of `dependent` through which the operations compute what is in it: what has a cotangent
/// where that has one.
void addReached(
    const Program& program, std::span<const OperationId> operations, const ValueFlags& dependent, ValueFlags& reached);

} // namespace shardscope

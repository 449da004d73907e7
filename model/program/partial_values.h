// SPDX-License-Identifier: GPL-3.0-or-later
// Which operations may be applied to partial values, those that each device along some axes (unreduced axes) holds an
// addend of, before these are reduced.
#pragma once

#include <span>

#include "program/program.h"

namespace shardscope {

/// Whether applying the operation to partial values and reducing its result gives the same as reducing the operands
/// first and applying it then. `isPartial` says of every operand whether it is partial; the others are full on every
/// device. At least one is partial. False for operations that are not known to have this property. True for those of
/// passesPartsThrough(), which are not judged here, unless a partial value selects a branch.
///
/// For `kind` Sum the operation has to be linear in its partial operands together:
///
///     add(partial, partial), multiply(partial, full), select(full, partial, partial), pad(partial, 0)    true
///     add(partial, full)      false: the full operand would be added once per device
///     multiply(partial, partial), tanh(partial), convert(partial) to integers                            false
///
/// A full operand that is zero everywhere may be in any place of a partial one. For Max and Min the operation has to be
/// monotonic; full operands may be mixed with partial ones, since max(a, a) = a.
[[nodiscard]] bool keepsParts(
    const Program& program, const Operation& operation, std::span<const bool> isPartial, ReduceKind kind);

/// Calls, operations with bodies (whose operations are judged one by one), collectives, operations of Shardy, and those
/// that are not known.
[[nodiscard]] bool passesPartsThrough(OpKind kind);

/// Whether the value is a constant of zeros, also after a broadcast, reshape or the like.
[[nodiscard]] bool isZero(const Program& program, ValueId value);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Operations on values of which every device along some axes holds a part, still to be put together (unreduced axes).
#pragma once

#include <span>

#include "program/program.h"

namespace shardscope {

/// Whether the operation may work on the parts: what it makes of them, put together, is what it makes of the values
/// put together. `isPartial` says of every operand whether it comes in parts (at least one does); the others are full
/// on every device. What is not known to keep the parts does not; of what only passes them on (passesPartsThrough())
/// nothing is said, that is true, except that no branch is chosen by a part.
///
/// Sums go through what is linear in its partial operands together:
///
///     add(part, part), multiply(part, whole), select(whole, part, part), pad(part, 0)    true
///     add(part, whole)       false: the full operand would be added once for every part
///     multiply(part, part), tanh(part), convert(part) to integers                        false
///
/// Where a value stands that is zero everywhere, it is as good as a part. The greatest and the least (Max, Min) go
/// through what keeps the order; full values may stand beside parts, as max(a, a) = a.
[[nodiscard]] bool keepsParts(
    const Program& program, const Operation& operation, std::span<const bool> isPartial, ReduceKind kind);

/// Calls, operations whose bodies are looked at for themselves, collectives, those of Shardy and foreign ones.
[[nodiscard]] bool passesPartsThrough(OpKind kind);

/// A constant that is zero everywhere, perhaps after operations that change nothing of that.
[[nodiscard]] bool isZero(const Program& program, ValueId value);

} // namespace shardscope

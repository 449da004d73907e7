// SPDX-License-Identifier: GPL-3.0-or-later
// Priorities of operations: what may move when, so that the harmless moves come first and win.
//
//     round 0  pass-through operations (elementwise, reshape, transpose, data-flow edges) whose operands have no other
//              use; slices at an offset that is computed, and their updates, only forward
//     round 1  all pass-through operations
//     round 2  every operation, along pass-through factors; broadcasts only backward
//     round 3  the other factors too (contracting dimensions of products); broadcasts only backward
//     round 4  everything, both ways
//
// A round allows what the rounds before it allowed. A broadcast that only adds dimensions of size 1 is a reshape: that
// is what XLA's simplification makes of it before Shardy sees a program of JAX's.
#pragma once

#include "propagation/factor_propagation.h"

namespace shardscope {

inline constexpr int operationPriorityRounds = 5;

enum class PriorityClass : std::uint8_t { PassThrough, Broadcast, Other, DynamicSlice };

[[nodiscard]] constexpr Direction operator|(Direction a, Direction b)
{
    return static_cast<Direction>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr Direction operator&(Direction a, Direction b)
{
    return static_cast<Direction>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

/// What an operation may do in a round.
struct Allowance {
    Direction direction = Direction::None;
    bool passThroughFactorsOnly = false;
    Direction others = Direction::None; ///< along the other factors, if only those are allowed
    bool operator==(const Allowance&) const = default;

    [[nodiscard]] Direction along(FactorKind kind) const
    {
        return passThroughFactorsOnly && kind != FactorKind::PassThrough ? others : direction;
    }
};

/// Elementwise as far as propagation is concerned: a sharding constraint counts.
[[nodiscard]] bool isPointwise(OpKind kind);
[[nodiscard]] PriorityClass priorityClass(OpKind kind);
/// The same where the kind alone does not say it: conversions of bits, calls of known functions, broadcasts that are
/// reshapes.
[[nodiscard]] bool isPointwise(const Program& program, const Operation& operation);
[[nodiscard]] PriorityClass priorityClass(const Program& program, const Operation& operation);
/// `singleUse`: every operand that is not a scalar has exactly one use.
[[nodiscard]] Allowance allowance(PriorityClass kind, bool singleUse, int round);

} // namespace shardscope

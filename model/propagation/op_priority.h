// SPDX-License-Identifier: GPL-3.0-or-later
// Priorities of operations: what may move when, so that the harmless moves come first and win.
//
//     round 0  pass-through operations (elementwise, reshape, transpose) whose operands have no other use
//     round 1  all pass-through operations
//     round 2  every operation, along pass-through factors; broadcasts only backward
//     round 3  the other factors too (contracting dimensions of products); broadcasts only backward
//     round 4  everything, both ways
//
// A round allows what the rounds before it allowed.
#pragma once

#include "propagation/factor_propagation.h"

namespace shardscope {

inline constexpr int operationPriorityRounds = 5;

enum class PriorityClass : std::uint8_t { PassThrough, Broadcast, Other };

/// What an operation may do in a round.
struct Allowance {
    Direction direction = Direction::None;
    bool passThroughFactorsOnly = false;
    bool operator==(const Allowance&) const = default;

    [[nodiscard]] Direction along(FactorKind kind) const
    {
        return passThroughFactorsOnly && kind != FactorKind::PassThrough ? Direction::None : direction;
    }
};

/// Elementwise as far as propagation is concerned: a sharding constraint counts.
[[nodiscard]] bool isPointwise(OpKind kind);
[[nodiscard]] PriorityClass priorityClass(OpKind kind);
/// `singleUse`: every operand that is not a scalar has exactly one use.
[[nodiscard]] Allowance allowance(PriorityClass kind, bool singleUse, int round);

} // namespace shardscope

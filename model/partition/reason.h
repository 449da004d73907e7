// SPDX-License-Identifier: GPL-3.0-or-later
// Why partitioning added an operation: what a person is told who asks for the cause of a collective.
//
//     %1 = dot %x, %W                        // x [{},{m}], W [{m},{}]
//     %2 = all_reduce {m} %1                 // ReducedFactor, operation: the dot, factor 2, slot 0
#pragma once

#include <cstdint>

#include "program/program.h"

namespace shardscope {

struct Reason {
    enum class Kind : std::uint8_t {
        ReducedFactor, ///< an operation summed over a sharded dimension: its result is partial over axes
        OperandReshard, ///< an operand had to be sharded as the operation's other tensors are
        ResultReshard, ///< the result of an operation had to go back to its own sharding
        ConstraintReshard, ///< a sharding constraint, or a reshard in the program, asks for another sharding
        ReturnReshard, ///< a function returns a value in another sharding than it is held in
        PartialOperand, ///< an operation reads a value that is still to be added up, and does not hand that on
        BoundaryReshard, ///< a loop, branch, barrier or computation with a boundary takes or returns it in its own
                         ///< sharding
        CallReshard, ///< a function takes its argument in its own sharding
        SingleDevice, ///< the operation runs on a single device
        Halo, ///< an operation reads beyond its device's block of a sharded dimension
    };
    Kind kind = Kind::ReducedFactor;
    OperationId operation; ///< the operation that needs it; invalid for what a function returns
    std::int32_t factor = -1; ///< of the operation's rule: the (first) one reduced, or sharded otherwise by the others
    std::int32_t slot = -1; ///< operand or result number
    bool operator==(const Reason&) const = default;
};

} // namespace shardscope

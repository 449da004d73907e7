// SPDX-License-Identifier: GPL-3.0-or-later
// Which values of a step are compared with the reference, and why they may differ from it at all. From one of them to
// the next nothing rounds otherwise on devices than it does in the reference.
#pragma once

#include <vector>

#include "schedule/plan.h"

namespace shardscope {

/// Values that a plan has to keep so that they can be compared: what is added up (products, convolutions, reductions),
/// what a fast kernel computes otherwise than a plain one (exp, tanh, a power), what loops and branches give,
/// gradients, and what main returns. Of a value that goes nowhere but into its sharding constraint, the constraint,
/// which bears the name. In program order.
[[nodiscard]] std::vector<ValueId> checkedValues(const Program& program);

enum class LinkKind : std::uint8_t {
    Equal, ///< to the last bit: nothing that rounds otherwise
    Bounded, ///< a sum whose operands are known exactly
    Approximate, ///< a function of such operands
    Accumulated, ///< other sums, whose rounding errors add up: in loops and branches, and of partial values
};

/// A result of an operation of the reference that is compared.
struct Link {
    std::uint32_t result = 0; ///< of the operation
    ValueId value;
    LinkKind kind = LinkKind::Equal;
    bool isShown = false; ///< devices have it as a value of main; otherwise as results of main alone
    std::vector<std::size_t> results; ///< main returns it as these
};

/// An operation of main as the reference's observer is told of it, in the order of its plan. Of one that gives no
/// elements it may not be told.
struct LinkStep {
    OperationId operation; ///< of Plan::program->local
    bool isControl = false; ///< a loop or a branch: the observer is told of what it runs before it is told of this
    std::vector<Link> links;
};

/// `reference`: a plain plan of the program in full. `devices`: what is compared with it.
[[nodiscard]] std::vector<LinkStep> linkSteps(const Plan& reference, const FlatProgram& devices);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Which values of a step are compared with the reference, and for what reason they may differ from it. Between two of
// them devices and reference round alike.
//
//     h = tanh(x W): the product is compared (Bounded, a sum), then h (Approximate, a fast kernel); relu(x W) and a
//     transpose of it are not, since they round alike.
#pragma once

#include <vector>

#include "schedule/plan.h"

namespace shardscope {

/// The values that a plan has to keep for the comparison, in program order: results of products, convolutions and
/// reductions, functions that a fast kernel computes by other steps than the plain one (exp, tanh, a power), results of
/// loops and branches, gradients, and what main returns. Where the only use of a value is its sharding constraint, the
/// constraint's result instead, since that has the name.
[[nodiscard]] std::vector<ValueId> checkedValues(const Program& program);

enum class LinkKind : std::uint8_t {
    Equal, ///< equal to the last bit: both sides round alike
    Bounded, ///< a sum of operands that both sides have alike: rounding_bound.h bounds the difference
    Approximate, ///< a function of such operands, by another kernel
    Accumulated, ///< other sums, whose rounding errors add up: in loops and branches, and of partial values
};

/// A compared result of an operation of the reference.
struct Link {
    std::uint32_t result = 0; ///< index among the operation's results
    ValueId value;
    LinkKind kind = LinkKind::Equal;
    bool isShown = false; ///< devices keep it as a value of main; if not, only as the results of main below
    std::vector<std::size_t> results; ///< the results of main that it is returned as
};

/// An operation of main, as the observer of the reference is told of it, in the order of its plan. The observer may not
/// be told of operations whose results have no elements.
struct LinkStep {
    OperationId operation; ///< of Plan::program->local
    bool isControl = false; ///< a loop or a branch: the observer is told of what it runs before it is told of this
    std::vector<Link> links;
};

/// `reference`: a plan of the unsharded program with plain kernels. `devices`: the program that is compared with it.
[[nodiscard]] std::vector<LinkStep> linkSteps(const Plan& reference, const FlatProgram& devices);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Reverse-mode differentiation on the IR: walks the operations behind a scalar backwards and lets each row add the
// cotangents of its operands. Several contributions to one value are added in the order of its uses, last use first.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/builder.h"
#include "program/rematerialise.h"

namespace shardscope {

struct DifferentiateOptions {
    /// Which of the values that the trips of a loop make are kept for the way back, stacked over all trips; the others
    /// are made again there from what a trip begins with (remat). Null: all that are needed are kept. What a trip
    /// begins with is kept in any case, except what no trip changes; constants and what only moves such values never
    /// are.
    ///
    ///     never:                        [](const Program&, ValueId) { return false; }
    ///     what products of arrays make: [](const Program& p, ValueId v) {
    ///                                       return p.operation(p.value(v).definition).kind == OpKind::DotGeneral; }
    std::function<bool(const Program& program, ValueId value)> keeps = {};
    /// Ranges of main, and what is kept of each (program/rematerialise.h).
    std::vector<RematRegion> regions = {};
};

/// Gradients of the scalar `loss` with respect to `wrt`, one per value, of its type; zeros where the loss does not
/// depend on it. The operations go under the scope "backward/<scope of the operation differentiated>".
/// Values with the role Constant have no derivative, whatever they are computed from (JAX's stop_gradient).
/// Only what is needed for `wrt` is built. Loops that count their trips (program/counted_loop.h) have a loop as their
/// derivative; they come to carry what it needs of every trip. Errors: InvalidOperand if `loss` is not a floating-point
/// scalar; or if an operation on the way has no derivative, and then the builder is of no further use.
[[nodiscard]] Result<std::vector<ValueId>> differentiate(
    Builder& builder, ValueId loss, std::span<const ValueId> wrt, const DifferentiateOptions& options = {});

/// The same from a given cotangent of any floating-point value `of` (JAX's vjp): gradients of sum(of * cotangent), with
/// `cotangent` of the type of `of` and not computed from `wrt`. Errors: also InvalidOperand for another type.
///
///     y = x W, cotangent c:   xᵀ c for W,  c Wᵀ for x
[[nodiscard]] Result<std::vector<ValueId>> differentiateFrom(Builder& builder, ValueId of, ValueId cotangent,
    std::span<const ValueId> wrt, const DifferentiateOptions& options = {});

inline constexpr std::string_view backwardScope = "backward";

/// The scope of the gradients of what stands in that scope: "backward/layers.0" of "layers.0", "backward" of "".
[[nodiscard]] std::string backwardScopeOf(std::string_view scope);

/// Whether a scope holds what differentiation made.
[[nodiscard]] inline bool isBackward(std::string_view scope)
{
    return scope.starts_with(backwardScope)
        && (scope.size() == backwardScope.size() || scope[backwardScope.size()] == '/');
}

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Reverse-mode differentiation on the IR: walks the operations behind a scalar backwards and lets each row add the
// cotangents of its operands. Several contributions to one value are added in the order of its uses, last use first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/builder.h"
#include "program/rematerialise.h"

namespace shardscope {

/// Gradients of the scalar `loss` with respect to `wrt`, one per value, of its type; zeros where the loss does not
/// depend on it. The operations go under the scope "backward/<scope of the operation differentiated>".
/// Values with the role Constant have no derivative, whatever they are computed from (JAX's stop_gradient).
/// Only what is needed for `wrt` is built, and what the policies of `regions` do not keep is computed again
/// (program/rematerialise.h). Errors: InvalidOperand if `loss` is not a floating-point scalar or an operation on the
/// way has no derivative.
[[nodiscard]] Result<std::vector<ValueId>> differentiate(
    Builder& builder, ValueId loss, std::span<const ValueId> wrt, std::span<const RematRegion> regions = {});

/// The same from a given cotangent of any floating-point value `of` (JAX's vjp): gradients of sum(of * cotangent), with
/// `cotangent` of the type of `of` and not computed from `wrt`. Errors: InvalidOperand for another type.
///
///     y = x W, cotangent c:   of W  xᵀ c   of x  c Wᵀ
[[nodiscard]] Result<std::vector<ValueId>> pullBack(Builder& builder, ValueId of, ValueId cotangent,
    std::span<const ValueId> wrt, std::span<const RematRegion> regions = {});

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

// SPDX-License-Identifier: GPL-3.0-or-later
// Reverse-mode differentiation on the IR: walks the operations behind a scalar backwards and lets each row add the
// cotangents of its operands. Several contributions to one value are added in the order of its uses, last use first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/builder.h"

namespace shardscope {

/// Gradients of the scalar `loss` with respect to `wrt`, one per value, of its type; zeros where the loss does not
/// depend on it. The operations go under the scope "backward/<scope of the operation differentiated>".
/// Values with the role Constant have no derivative, whatever they are computed from (JAX's stop_gradient).
/// Only what is needed for `wrt` is built. Errors: InvalidOperand if `loss` is not a floating-point scalar or an
/// operation on the way has no derivative.
[[nodiscard]] Result<std::vector<ValueId>> differentiate(Builder& builder, ValueId loss, std::span<const ValueId> wrt);

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

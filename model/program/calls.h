// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that stand for a function: calls, and composites, whose decomposition says what they compute.
#pragma once

#include "program/other_attributes.h"
#include "program/program.h"

namespace shardscope {

[[nodiscard]] constexpr bool isCall(OpKind kind)
{
    return kind == OpKind::Call || kind == OpKind::Composite;
}
/// The name of the function; null for other operations.
[[nodiscard]] const std::string* calleeOf(const Operation& operation);
/// The attributes of such an operation, for another function.
[[nodiscard]] Attributes withCallee(const Attributes& attributes, std::string callee);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Unreduced axes, and what an operation may do with them.
//
// An array that is unreduced over an axis holds on each device along it a part of the true value, which is their sum
// (or greatest, or least). It may come into being silently, in a product whose contracted dimension is sharded; it may
// not be forgotten silently.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "program/program.h"

namespace shardscope {

/// `a` without what `b` has of it. Parts stay where only a part is taken.
///
///     a = x, y   b = x:(2)2, of an axis x of 8   ->   x:(1)2, x:(4)2, y
[[nodiscard]] AxisList axesMinus(const AxisList& a, const AxisList& b);

/// The transition rule. Axes that only results are unreduced over must be introduced, those that only operands are
/// unreduced over removed, each only where a kind is given, and of that kind; axes that are unreduced on both sides
/// keep their kind. Null shardings have no unreduced axes. Shardings on different meshes are not compared. Nothing, or
/// the arguments of a Code::UnreducedAxes: `wrong` (introduced, introduced_kind, removed, removed_kind, kind) and
/// `axes`; with a kind that is wrong also `found` and `expected`.
[[nodiscard]] std::optional<std::vector<Arg>> checkTransition(const Program& program,
    std::span<const ProgramSharding* const> operands, std::span<const ProgramSharding* const> results,
    std::optional<ReduceKind> mayIntroduce, std::optional<ReduceKind> mayRemove);

/// What a body of two arguments does that returns the results of one operation each: all add = Sum, all maximum = Max,
/// all minimum = Min. Nothing for another body.
[[nodiscard]] std::optional<ReduceKind> bodyKind(const Program& program, const Region& body);

} // namespace shardscope

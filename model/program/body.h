// SPDX-License-Identifier: GPL-3.0-or-later
// What the bodies of operations say: reductions, comparisons, scattered updates.
#pragma once

#include <optional>

#include "program/program.h"

namespace shardscope {

/// How a body of 2 n arguments puts each pair (argument i, argument n + i) together, where it returns one operation on
/// the two for each. None if one of its results is anything else, or if they differ.
///
///     ^bb0(%a: tensor<f32>, %b: tensor<f32>):  return stablehlo.add %a, %b      -> Sum
[[nodiscard]] std::optional<ReduceKind> reductionOf(const Program& program, RegionId body);
/// Of an operation with one body, or with its kind as an attribute: reduce, all_reduce, reduce_scatter, scatter, ...
[[nodiscard]] std::optional<ReduceKind> reductionOf(const Program& program, const Operation& operation);
/// The operation of two operands that such a body consists of: Sum -> Add.
[[nodiscard]] OpKind combinerOf(ReduceKind kind);
/// The other way round; nothing for another operation.
[[nodiscard]] std::optional<ReduceKind> reductionBy(OpKind combiner);
[[nodiscard]] const char* reduceKindName(ReduceKind kind); ///< "sum", "max", "min", "product", "and", "or"

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "program/program.h"

namespace shardscope {

/// Whether the types of all operands and results are known, sizes included. A type that only its text stands for
/// (`tensor<8x!quant.uniform<i8:f32, 0.5>>`) and a size that only a run knows are not: of an operation on them that
/// demands tensors nothing can be said, neither that it is illegal, nor how its dimensions correspond, nor its cost.
[[nodiscard]] bool hasKnownTypes(const Program& program, const Operation& operation);
/// A tensor of which not even the number of dimensions is known: tensor<*xf32>. StableHLO has none.
[[nodiscard]] bool isUnranked(const Program& program, const TensorType& type);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Which named array a value without a name is a part of.
//
//     params/kernel: 4x16x32, a layer per trip of a loop; in trip i
//         %w = reshape(dynamic_slice(params/kernel, i))           %w is part of params/kernel
//         %s = dynamic_update_slice(grads, reshape(%g), i)        %g is part of what the loop leaves in %s,
//     which is returned as grad(params/kernel)                    grad(params/kernel)
//     grad(params/embedding) = add(%a, %b)                        %a and %b are parts of it,
//     grad(params/scale) = multiply(%sum, 0.5)                    and so is %sum
#pragma once

#include <vector>

#include "program/program.h"

namespace shardscope {

/// By ValueId: the argument of main that the value is, or is a slice of, in whatever form; else the gradient whose
/// slice, addend or multiple it becomes, in whatever form. Invalid for what is neither, and for what has itself such a
/// name. Followed through loops that hand an array on as it is, and through functions that are called once.
[[nodiscard]] std::vector<ValueId> arraysOfParts(const Program& program);

} // namespace shardscope

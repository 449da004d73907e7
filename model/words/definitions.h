// SPDX-License-Identifier: GPL-3.0-or-later
// What a value is computed of, in words.
#pragma once

#include <QString>

#include "program/program.h"

namespace shardscope::words {

/// A person's name for a value in a sentence: its own, "0" for a constant, "the gradient in layers.2" for a nameless
/// value of the backward pass.
/// Of a program that was read as its text has it, "%cst_0", its function or region in front: "relu / %arg0"; of an
/// argument what its location says, "params['w']".
[[nodiscard]] QString operandName(const Program& program, ValueId value);
/// "part of params / kernel", "params / kernel in another form": what a value is that has no name, or the number of a
/// text, and is a part of `array` (program/array_parts.h), which goes by `name`. Empty where it has a name, or there is
/// no array.
[[nodiscard]] QString partName(const Program& program, ValueId value, ValueId array, const QString& name);

} // namespace shardscope::words

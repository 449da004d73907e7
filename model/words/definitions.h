// SPDX-License-Identifier: GPL-3.0-or-later
// What a value is computed of, in words.
#pragma once

#include <QString>

#include "program/program.h"

namespace shardscope::words {

/// A person's name for a value in a sentence: its own, "0" for a constant, "the gradient in layers.2" for a nameless
/// value of the backward pass.
/// Of a program that was read as its text has it, "%cst_0"; its function or region in front: "relu / %arg0".
[[nodiscard]] QString operandName(const Program& program, ValueId value);

} // namespace shardscope::words

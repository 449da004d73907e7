// SPDX-License-Identifier: GPL-3.0-or-later
// What a value is computed of, in words.
#pragma once

#include <QString>

#include "program/program.h"

namespace shardscope::words {

/// A person's name for a value in a sentence: its own, "0" for a constant, "the incoming gradient" for a nameless value
/// of the backward pass.
[[nodiscard]] QString operandName(const Program& program, ValueId value);

} // namespace shardscope::words

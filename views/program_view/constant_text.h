// SPDX-License-Identifier: GPL-3.0-or-later
// What a constant is, in a word or two: its number, if all of its elements are that one.
#pragma once

#include <QString>

#include "program/program.h"

namespace shardscope {

/// "0.5", "-inf", "true"; empty for several elements and for element types that have no short form.
[[nodiscard]] QString splatText(const ConstantAttributes& constant, DType type);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The value that an option names.
#pragma once

#include <string>

#include "program/program.h"

namespace shardscope::cli {

/// A value by its path or its name in the text, with or without the sign in front (program/name_values.h), or
/// by the end of its path, as findValue() (program/path.h) has it. UnknownValue with what there is instead: where the
/// text has the name several times, the values that it stands for.
[[nodiscard]] Result<ValueId> valueAsked(const Program& program, const std::string& name);

} // namespace shardscope::cli

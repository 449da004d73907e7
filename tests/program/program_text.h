// SPDX-License-Identifier: GPL-3.0-or-later
// Programs as text that a person compares: every value with its name, type and role.
#pragma once

#include <string>

#include "program/program.h"

namespace shardscope {

/// Text in the style of StableHLO, stable from run to run.
[[nodiscard]] std::string print(const Program& program);

} // namespace shardscope

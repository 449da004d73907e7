// SPDX-License-Identifier: GPL-3.0-or-later
// What `run` says of a check against the unsharded reference, of any program.
#pragma once

#include "console.h"
#include "report.h"
#include "simulate/check/check.h"

namespace shardscope::cli {

[[nodiscard]] Json checkJson(const CheckReport& report, const Program& program);
void printCheck(Console& console, const CheckReport& report, const Program& program);

} // namespace shardscope::cli

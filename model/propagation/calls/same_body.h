// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two bodies compute the same.
#pragma once

#include <functional>

#include "program/program.h"

namespace shardscope::passes {

/// The function that a call means, under a name that copies of one function have in common.
using CalleeName = std::function<std::string(const std::string& callee)>;

/// Same operations on the same values in the same order, with the same results. Shardings, places in the text and kept
/// attributes do not count.
[[nodiscard]] bool sameBody(const Program& program, RegionId a, RegionId b, const CalleeName& calleeName);

} // namespace shardscope::passes

// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two programs say the same, whatever their values, operations, meshes and texts are numbered.
#pragma once

#include <string>

#include "program/program.h"

namespace shardscope {

/// "" for equal programs, else the first difference found, for people who look for it: "@main, operation 12
/// (stablehlo.add): attributes". Functions are compared in their order; places in the text (line, column) do not count.
/// `locations` and names of scopes only count where asked for.
[[nodiscard]] std::string difference(const Program& a, const Program& b, bool locations = true);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

/// Problems as people read them: many that are alike (base/alike.h) are one, with the fixes of the first and the
/// tensors of all.
[[nodiscard]] std::vector<Problem> summedUp(std::vector<Problem> problems);

/// How many findings a diagnostic stands for.
[[nodiscard]] int countOf(const Diagnostic& diagnostic);

} // namespace shardscope

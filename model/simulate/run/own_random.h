// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers whose bits the specification leaves open: stablehlo.rng, and rng_bit_generator with the algorithm
// DEFAULT. What is drawn here is the same in every run, and not what another implementation draws.
#pragma once

#include <optional>

#include "program/program.h"

namespace shardscope {

/// I306 {op, times} at the first such operation that main reaches; nothing where there is none.
///
///     %0 = stablehlo.rng %a, %b, %shape, distribution = NORMAL : ...   -> I306: op stablehlo.rng, times 1
[[nodiscard]] std::optional<Diagnostic> ownRandomNumbers(const Program& program);

} // namespace shardscope

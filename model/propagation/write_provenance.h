// SPDX-License-Identifier: GPL-3.0-or-later
// Where shardings come from, written into a program as Shardy does when it is asked for it.
//
//     %0 = stablehlo.add %arg0, %arg1 {sdy.propagation_edges = #sdy.propagation_edges<[
//              {step-1 = [{"x" = operand-0 -> [operand-1, result-0]}]}]>,
//          sdy.sharding_origins = [{x = "input: 0"}]}
#pragma once

#include "propagation/records.h"

namespace shardscope {

/// What propagation found out about `program`; `result` is over it.
struct Provenance {
    const Program& program; ///< with or without the shardings written back
    const PropagationResult& result;
    PropagationOptions options = {}; ///< with which it was propagated
};

/// Values that were given the sharding of a constraint, or of the boundary of a manual computation, when `before`
/// became `prepared`.
[[nodiscard]] std::vector<std::pair<ValueId, ShardingOrigin>> copiedOrigins(
    const Program& before, const Program& prepared, const ShardingOrigins& names);

[[nodiscard]] std::vector<std::pair<ValueId, ShardingOrigin>> copiedOrigins(
    const Program& before, const Program& prepared, const Provenance& provenance);
[[nodiscard]] ShardingOrigins originsOf(
    const Provenance& provenance, const std::vector<std::pair<ValueId, ShardingOrigin>>& copied);

/// `sdy.propagation_edges` at operations and at results of main; steps count from 0 there, as Shardy's do.
[[nodiscard]] Program withEdges(Program program, const Provenance& provenance);
/// `sdy.sharding_origins` at operations, at arguments of functions and at results of main, `sdy.sharding_origin_name`
/// at constraints.
[[nodiscard]] Program withOrigins(
    Program program, const Provenance& provenance, const std::vector<std::pair<ValueId, ShardingOrigin>>& copied);

} // namespace shardscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What XLA writes between @SPMDFullToShardShape and @SPMDShardToFullShape, where a program works on the shards of
// arrays, as a manual computation:
//
//     %1 = custom_call @Sharding(%0) {mhlo.sharding = "{devices=[2,1]<=[2]}"}   : 8x4 -> 8x4
//     %2 = custom_call @SPMDFullToShardShape(%1) {mhlo.sharding = "{manual}"}   : 8x4 -> 4x4
//     %3 = ... of shards ...
//     %4 = custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : 4x4 -> 8x4
//
//     %1 = ...
//     %4 = sdy.manual_computation(%1) in [{x}, {}], out [{x}, {}], manual {x} (%2: 4x4) { %3 = ... ; return %3 }
#pragma once

#include "program/program.h"

namespace shardscope::passes {

/// A boundary of what is computed on shards, @SPMDFullToShardShape or @SPMDShardToFullShape.
[[nodiscard]] bool isShardBoundary(const Operation& operation);
[[nodiscard]] bool hasShardBoundaries(const Program& program);

/// What stands between @SPMDFullToShardShape and @SPMDShardToFullShape, which is computed on shards, becomes a manual
/// computation over all axes. What it reads from outside enters as it is, if no axis shards it. Stays as it is where a
/// boundary has no sharding, or shards of another size, or where it reads a sharded array without a boundary.
[[nodiscard]] Program importManualRegions(Program program);

} // namespace shardscope::passes

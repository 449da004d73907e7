// SPDX-License-Identifier: GPL-3.0-or-later
// The program of an experiment as a text would have it, to be propagated or written as one.
//
//     x annotated ("batch", None), batch: data, mesh data=2
//     func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) ...
#pragma once

#include <optional>

#include "pipeline/snapshot.h"

namespace shardscope {

/// A built-in network as a module of StableHLO: over one mesh, with a function main. Its annotations are left out.
[[nodiscard]] Program asModule(Program network, MeshPtr mesh);

/// The program of an analysed experiment, over the experiment's mesh, with what was given as shardings of its own:
/// annotations as they were resolved, or what a text says and the experiment changes of it. A constraint that does not
/// apply asks for nothing. Nothing is propagated. Absent where the analysis did not come to know what is given.
[[nodiscard]] std::optional<Program> givenProgram(const Snapshot& snapshot);

} // namespace shardscope

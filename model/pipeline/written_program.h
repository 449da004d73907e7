// SPDX-License-Identifier: GPL-3.0-or-later
// The program of a text as an experiment has it.
#pragma once

#include <optional>

#include "pipeline/snapshot.h"

namespace shardscope {

/// Over the experiment's mesh, with the shardings and sharding rules that the experiment gives in place of those in the
/// text, before anything is propagated. Nothing where the experiment has no such program or it could not be read.
[[nodiscard]] std::optional<Program> writtenProgram(const Snapshot& snapshot);

} // namespace shardscope

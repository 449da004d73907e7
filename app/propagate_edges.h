// SPDX-License-Identifier: GPL-3.0-or-later
// The edges that axes took, as `shardscope propagate --edges --json` lists them.
#pragma once

#include "propagation/records.h"
#include "report.h"

namespace shardscope::cli {

/// Over which a value is sharded; that of the program for a value without a sharding.
[[nodiscard]] const Mesh& meshOf(const Program& program, const PropagationResult& result, ValueId value);

/// Per operation along which axes went: the records that the text has as sdy.propagation_edges, by our count of steps.
/// `value` is the operation's first result, or what owns the data-flow edge.
[[nodiscard]] Json edgesJson(
    const Program& program, const PropagationResult& result, const PropagationOptions& options);

} // namespace shardscope::cli
